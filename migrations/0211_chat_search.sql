-- Pairs of neighbouring characters of a text, hashed together with the conversation, so that a search reads the
-- messages of its own conversations only.
create function chat_grams(chat bigint, body text) returns bigint[] language sql immutable strict parallel safe as $$
  select coalesce(array_agg(distinct hashtextextended(one || two, chat)), '{}') from (
    select letter as one, lead(letter) over (order by place) as two
    from unnest(string_to_array(lower(body), null)) with ordinality as t (letter, place)
  ) pairs where two is not null
$$;
-- The first 500 messages of a conversation are read without an index. Most conversations have no more, and an index
-- of all messages took four times their room. The limit bounds the list that an insert has to merge at once.
create index chat_messages_search on chat_messages using gin (chat_grams(chat_id, body))
  with (gin_pending_list_limit = 512) where position > 500 and deleted_at is null;

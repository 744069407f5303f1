-- The same pairs as before, by a loop: an insert plans a function of SQL anew each time, which took it 0.15 ms more.
create or replace function chat_grams(chat bigint, body text) returns bigint[]
language plpgsql immutable strict parallel safe as $$
declare
  letter text;
  former text;
  pairs bigint[] := '{}';
begin
  foreach letter in array string_to_array(lower(body), null) loop
    if former is not null then
      pairs := pairs || hashtextextended(former || letter, chat);
    end if;
    former := letter;
  end loop;
  return pairs;
end
$$;

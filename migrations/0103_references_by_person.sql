-- A person, or a registration that is refused, is deleted by looking at these once for each; administrators ask for the groups of
-- somebody.
create index groups_of_person on groups (user_id, id desc);
create index answer_onlookers_of_person on answer_onlookers (user_id);
create index question_invitations_of_person on question_invitations (user_id);
create index im_groups_creator on im_groups (creator_id);

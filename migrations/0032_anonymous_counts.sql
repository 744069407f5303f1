-- False while the owner of what is liked is unknown: an author of anonymous answers is not to be found by their counts.
alter table likes add column counted boolean not null default true;

update likes l set counted = false from answers a
where l.likeable_type = 'question-answers' and l.likeable_id = a.id and a.anonymity;

-- What was counted of anonymous questions and answers before. The time of the counts stays: it would tell of whom.
update user_counts c set
  questions_count = greatest(c.questions_count - d.questions, 0),
  answers_count = greatest(c.answers_count - d.answers, 0),
  likes_count = greatest(c.likes_count - d.likes, 0)
from (
  select user_id, sum(questions) as questions, sum(answers) as answers, sum(likes) as likes from (
    select user_id, count(*) as questions, 0 as answers, 0 as likes from questions where anonymity group by user_id
    union all
    select user_id, 0, count(*), 0 from answers where anonymity group by user_id
    union all
    select target_user, 0, 0, count(*) from likes where not counted group by target_user
  ) s group by user_id
) d
where d.user_id = c.user_id;

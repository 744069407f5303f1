-- An address that others follow is http or https: what was stored before that was asked is forgotten.
delete from settings where name = 'site:about-url' and value #>> '{}' !~* '^https?://[^\s/]\S*$';
update advertising set data = data - 'link' where data ? 'link' and data ->> 'link' !~* '^https?://[^\s/]\S*$';

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '#test/world.ts'
import { readCatalogue } from './catalogue.ts'
import { useOf } from './statement-tables.ts'

const { sql } = await createWorld()
await sql.unsafe(`
  create table shelves (id int primary key, name text, books_count int default 0, updated_at timestamptz);
  create table books (id int primary key, shelf_id int references shelves on delete cascade, title text);
  create table pages (id int primary key, book_id int references books on delete set null on update cascade);
  create table shelf_counts (shelf_id int, books_count int, updated_at timestamptz);
  create table branches (id int primary key, parent_id int references branches on delete cascade);
  create table watched (id int);
  create table noted (id int);
  create view full_shelves as select s.id from shelves s join books b on b.shelf_id = s.id;
  create function lend(int) returns void language sql as 'update books set title = title where id = $1';
  create function tell() returns trigger language plpgsql as 'begin insert into noted values (1); return null; end';
  create trigger tells after insert on watched for each row execute function tell();`)
const catalogue = await readCatalogue(sql)
const use = (text: string) => {
  const { reads, writes, counts, writesAll, isTimed } = useOf(text, catalogue)
  return {
    reads: [...reads].sort(),
    writes: [...writes].sort(),
    counts: [...counts].sort(),
    writesAll,
    isTimed,
  }
}
const writes = (text: string) => use(text).writes

test('what a statement reads is every table that it names, also through views and functions', () => {
  assert.deepEqual(use('select * from books b join "shelves" s on true').reads, ['books', 'shelves'])
  assert.deepEqual(use('select id from full_shelves').reads, ['books', 'full_shelves', 'shelves'])
  assert.deepEqual(use("select 'books' -- pages\n /* watched */").reads, [])
  assert.deepEqual(use('with x as (select 1 from public.pages) select * from x').reads, ['pages'])
})

test('what is written is found in every part of a statement, with what follows from it', () => {
  assert.deepEqual(writes('with a as (insert into noted values (1)) select 1'), ['noted'])
  assert.deepEqual(writes('insert into books values (1) on conflict (id) do update set title = $1'), [
    'books',
  ])
  assert.deepEqual(
    writes('update only public.books as b set title = (select $1), shelf_id = 2 from shelves'),
    ['books', 'pages'],
  )
  assert.deepEqual(writes('delete from shelves'), ['books', 'pages', 'shelves'])
  assert.deepEqual(writes('delete from branches'), ['branches'])
  assert.deepEqual(writes('insert -- so\n into noted values (1)'), ['noted'])
  assert.deepEqual(writes('insert into watched values (1)'), ['noted', 'watched'])
  assert.deepEqual(writes('select lend(1)'), ['books', 'pages'])
  assert.deepEqual(writes('merge into books using shelves on true when matched then update set title = 1'), [
    'books',
    'pages',
  ])
  for (const lock of ['for update', 'for no key update', 'for share', 'for key share of b'])
    assert.deepEqual(writes(`select 1 from books b ${lock}`), [])
})

test('an update of counters alone is told apart, and only where it is nothing else', () => {
  const counted = use(
    'update shelves s set books_count = s.books_count + (1), hot = 1 where id = 1 returning id',
  )
  assert.deepEqual([counted.writes, counted.counts], [[], ['shelves']])
  assert.deepEqual(use('update shelf_counts set books_count = 1, updated_at = now()').counts, [
    'shelf_counts',
  ])
  assert.deepEqual(use('update shelves set books_count = 1, updated_at = now()').writes, ['shelves'])
  assert.deepEqual(use('update shelves set (books_count) = (select 1)').writes, ['shelves'])
  const both = use('with a as (update shelves set name = 1) update shelves set books_count = 1')
  assert.deepEqual([both.writes, both.counts], [['shelves'], []])
})

test('what is not understood may write everything', () => {
  for (const text of [
    ...['create table x (id int)', 'alter table books add x int', 'truncate books', 'drop table books'],
    ...['copy books from stdin', 'do $$ begin end $$', 'call something()', 'select 1; drop table books'],
    ...[
      'insert into unknown_table values (1)',
      'update unknown_table set x = 1',
      'refresh materialized view x',
    ],
  ])
    assert.equal(use(text).writesAll, true, text)
  for (const text of [
    'select 1',
    'begin',
    'commit',
    "set local statement_timeout = '1s'",
    'lock table books',
    '',
  ])
    assert.equal(use(text).writesAll, false, text)
})

test('what depends on the time is told', () => {
  assert.equal(use('select 1 from books where title > now()::text').isTimed, true)
  assert.equal(use('select current_date').isTimed, true)
  assert.equal(use("select 'now()', title from books").isTimed, false)
})

test('what changes at the ends of rows alone says at which, and only where it compares them with the time', () => {
  const ends = (text: string) => {
    const { ends: moments, isTimed } = useOf(text, catalogue)
    return isTimed ? 'timed' : [...moments].join()
  }
  const until = "/* until the next books.ends_at where title = 'x' */"
  assert.equal(
    ends(`select 1 from books b where b.ends_at > now() ${until}`),
    "books.ends_at where title = 'x'",
  )
  assert.equal(ends(`select 1 from books where ends_at > now() ${until} or now() > title`), 'timed')
  assert.equal(ends(`select 1 from books where ends_at < now() ${until}`), 'timed')
  assert.equal(ends(`select 1 from books where other_at > now() ${until}`), 'timed')
  assert.equal(ends('select 1 from books where ends_at > now() /* until the next */'), 'timed')
  assert.equal(ends(`select 1 from books where ends_at > clock_timestamp() ${until}`), 'timed')
})

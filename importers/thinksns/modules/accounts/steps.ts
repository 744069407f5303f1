import { revokeTokens } from '#modules/tokens/index.ts'
import type { Db } from '#platform/database'
import type { ImportStep } from '../../database/table.ts'
import { saveTargets, takeTargets } from '../../database/write.ts'
import { applyPictures } from '../files/pictures.ts'

const LOCKED = 'locked people'

/** Unlocks whom an earlier run locked for their role, because they may have lost it. */
export const unlockPeople: ImportStep = {
  name: 'earlier locks',
  run: ({ transaction }) =>
    transaction(async (tx) => {
      const locked = await takeTargets(tx, LOCKED)
      await tx`update users set deleted_at = null where id = any(${[...locked.keys()]})`
    }),
}

/**
 * Disables users with the role `disabler` on the operator's request. Never disables founders, because a stock
 * installation assigns them this role. Then reports all disabled users, and the other holders of the role.
 */
export const lockPeople: ImportStep = {
  name: 'locked people',
  async run({ ctx, transaction, options, note }) {
    const { lockDisablers } = options
    if (lockDisablers)
      await transaction(async (tx) => {
        const locked = await tx<{ id: number }[]>`
          update users u set deleted_at = now()
          where u.deleted_at is null and u.id in (${holdersOf(tx, 'disabler')})
            and not u.id in (${holdersOf(tx, 'founder')})
          returning id`
        await saveTargets(tx, LOCKED, new Map(locked.map(({ id }) => [id, ''])))
      })
    // They may have signed in here since the last run.
    await transaction(async (tx) => {
      for (const { id } of await listEntered(tx)) await revokeTokens(ctx, tx, id, { keepsChat: true })
    })
    for (let last = 0; ; ) {
      const people = await transaction((tx) => listStandings(tx, last))
      if (people.length === 0) return
      last = people.at(-1)?.id ?? last
      for (const person of people) await note(`${person.id}`, standingOf(person, lockDisablers))
    }
  },
}

const AT_ONCE = 1000
type Standing = { id: number; locked: boolean; founder: boolean; disabler: boolean }

const holdersOf = (sql: Db, role: string) => sql`
  select x.user_id from user_roles x join roles r on r.id = x.role_id where r.name = ${role}`

const listStandings = (sql: Db, after: number) => sql<Standing[]>`
  select * from (
    select u.id, u.deleted_at is not null as locked, u.id in (${holdersOf(sql, 'founder')}) as founder,
      u.id in (${holdersOf(sql, 'disabler')}) as disabler
    from users u where u.id > ${after}
  ) p where locked or disabler and not founder order by id limit ${AT_ONCE}`

const listEntered = (sql: Db) => sql<{ id: number }[]>`
  select id from users u where deleted_at is not null
    and exists (select from token_families f where f.user_id = u.id and f.revoked_at is null) order by id`

function standingOf({ locked, founder, disabler }: Standing, lockDisablers: boolean): string {
  if (!locked)
    return 'not locked: the role disabler did not prevent sign-in in the source (--lock-disablers locks its holders)'
  if (founder) return 'locked: deleted in the source, a founder'
  return disabler && lockDisablers
    ? 'locked: has the role disabler (--lock-disablers)'
    : 'locked: deleted in the source'
}

export const listFounders = (sql: Db) => sql<{ id: number; name: string; enters: boolean }[]>`
  select u.id, u.name, u.deleted_at is null
    and (u.password is not null or u.email is not null or u.phone is not null) as enters
  from users u where u.id in (${holdersOf(sql, 'founder')}) order by u.id`

export const showAvatars: ImportStep = {
  name: 'avatars',
  async run({ transaction }) {
    await transaction((tx) => applyPictures(tx, 'users.avatar', 'users', 'avatar'))
    await transaction((tx) => applyPictures(tx, 'users.bg', 'users', 'bg'))
  },
}

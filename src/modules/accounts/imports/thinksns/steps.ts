import { applyPictures } from '#modules/files/index.ts'
import type { ImportStep } from '#platform/database-import/table.ts'

/** People whom the role `disabler` locked out are disabled accounts here. */
export const disablePeople: ImportStep = {
  name: 'disabled accounts',
  run: ({ transaction }) =>
    transaction(async (tx) => {
      await tx`
        update users u set deleted_at = now() from user_roles x join roles r on r.id = x.role_id
        where r.name = 'disabler' and u.id = x.user_id and u.deleted_at is null`
    }),
}

/** Shows the avatars and backgrounds whose bytes are here. */
export const showAvatars: ImportStep = {
  name: 'avatars',
  async run({ transaction }) {
    await transaction((tx) => applyPictures(tx, 'users.avatar', 'users', 'avatar'))
    await transaction((tx) => applyPictures(tx, 'users.bg', 'users', 'bg'))
  },
}

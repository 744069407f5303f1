import type { Schema } from '@kith/client'
import { read } from '../../app/api.ts'

export type Member = Schema<'ImGroup'>['affiliations'][number]

/** Query of a chat group with its members. `id` is the `group` of a conversation. */
export const groupOf = (id: string) => read('/im/group', { params: { query: { im_group_id: [id] } } })

/** Converts a group member to a `User`. A member has only the URL of the avatar. */
export const personOf = ({ avatar, bg, ...rest }: Member) =>
  ({ ...rest, avatar: avatar ? { url: avatar } : null, bg: bg ? { url: bg } : null }) as Schema<'User'>

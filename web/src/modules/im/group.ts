import type { Schema } from '@kith/client'
import { read } from '../../app/api.ts'

export type Member = Schema<'ImGroup'>['affiliations'][number]

export const groupOf = (id: string) => read('/im/group', { params: { query: { im_group_id: [id] } } })

export const personOf = ({ avatar, bg, ...rest }: Member) =>
  ({ ...rest, avatar: avatar ? { url: avatar } : null, bg: bg ? { url: bg } : null }) as Schema<'User'>

import { Id, IdList, Message, Shared, Type } from '#platform/schema.ts'

export const UserIdParams = Type.Object({ user_id: Id })

/** Who is to be registered. */
export const UserIds = Shared('ImUserIds', { user_ids: IdList(1000, { minItems: 1 }) })

/** What a registration, a new password and an addition of members answer (im-2). */
export const Nothing = Type.Unsafe<readonly []>({ type: 'array', items: {}, maxItems: 0 })

/** `im_pwd_hash` is the password itself; the name is an old one (im-4). */
export const ImPassword = Shared('ImPassword', { ...Message.properties, im_pwd_hash: Type.String() })

import { UserView } from '#modules/accounts/index.ts'
import { apiError, fieldError } from '#platform/errors.ts'
import { Flag, Id, Int, MAX_ID, Nullable, Shared, type Static, Time, Type } from '#platform/http'
import { ChatMessage } from './messages/schema.ts'

export const noSuchChat = apiError(404, 'no_such_chat', 'This conversation does not exist.', '该会话不存在。')
/** With another provider, clients exchange messages there. */
export const chatElsewhere = apiError(
  404,
  'chat_elsewhere',
  'Messages of this site are exchanged at its chat provider.',
  '本站消息由即时通讯服务商收发。',
)
export const chatWithOneself = fieldError(
  'user',
  'chat_with_oneself',
  'You cannot talk to yourself.',
  '不能与自己聊天。',
)
export const ownerCannotLeave = apiError(
  422,
  'im_owner_stays',
  'The owner cannot leave; hand the group over or delete it.',
  '群主不能退出，请先转让或解散群组。',
)

/** Errors of every operation on a conversation. */
export const CHAT_ERRORS = [noSuchChat, chatElsewhere]

export const ChatParams = Type.Object({ chat: Id })

/** A conversation as one of its members sees it (im-11). */
export const Chat = Shared('Chat', {
  id: Type.Integer(),
  person: Nullable(UserView),
  group: Nullable(Shared('ChatGroup', { id: Type.String(), name: Type.String(), face: Type.String() })),
  last_position: Type.Integer({ description: 'Position of the newest message, 0 without any' }),
  read_position: Type.Integer({ description: 'Position up to which you have read' }),
  unread: Type.Integer(),
  muted: Type.Boolean(),
  last_message: Nullable(ChatMessage),
})
export type Chat = Static<typeof Chat>

export const ChatsQuery = Type.Object({
  limit: Type.Optional(Int(1, 100, { default: 20 })),
  before: Type.Optional(
    Int(1, MAX_ID, { description: 'Id of the last message of the last conversation you have' }),
  ),
})

export const ChatChange = Shared('ChatChange', { muted: Flag() })

export const ReadPosition = Shared('ReadPosition', { position: Int(0, MAX_ID) })

/** Positions up to which other members have read. */
export const ReadPositions = Shared('ReadPositions', {
  data: Type.Array(
    Shared('MemberPosition', { user_id: Type.Integer(), position: Type.Integer(), updated_at: Time }),
  ),
})

import { FileView } from '#modules/files/index.ts'
import { UserView } from '#modules/users/index.ts'
import { apiError, fieldError } from '#platform/errors.ts'
import {
  Flag,
  Id,
  IdList,
  Int,
  MAX_ID,
  Nullable,
  OpenObject,
  Shared,
  type Static,
  Text,
  TextNodes,
  Time,
  Type,
} from '#platform/http'

export const noSuchMessage = apiError(
  404,
  'no_such_message',
  'This message does not exist.',
  '该消息不存在。',
)
export const emptyMessage = fieldError(
  'body',
  'message_empty',
  'A message needs a text, a file or a link.',
  '消息须包含文字、文件或链接。',
)
export const noSuchReply = fieldError(
  'reply_to',
  'no_such_message',
  'The message you reply to does not exist.',
  '要回复的消息不存在。',
)
export const noSuchLink = fieldError(
  'link',
  'no_such_content',
  'This content does not exist.',
  '该内容不存在。',
)
export const tooLateToChange = apiError(
  403,
  'message_too_old',
  'This message can no longer be changed.',
  '该消息已无法修改。',
)

const LinkIn = Shared('ContentLink', {
  type: Text(32, { minLength: 1, description: 'Type of content, such as `feeds`' }),
  id: Id,
})

export const NewChatMessage = Shared('NewChatMessage', {
  body: Type.Optional(Text(5000, { 'x-empty': true })),
  file: Type.Optional(Int(1, MAX_ID, { description: 'Id of an upload of mine' })),
  link: Type.Optional(LinkIn),
  reply_to: Type.Optional(Int(1, MAX_ID, { description: 'Id of a message of this conversation' })),
  mentions: Type.Optional(IdList(50)),
})
export type NewChatMessage = Static<typeof NewChatMessage>

export const ChatMessageChange = Shared('ChatMessageChange', { body: Text(5000, { minLength: 1 }) })

export const ChatMessage = Shared('ChatMessage', {
  id: Type.Integer({ description: 'Increases within a conversation' }),
  chat_id: Type.Integer(),
  position: Type.Integer({ description: 'Number of the message in the conversation, from 1' }),
  sender_id: Type.Integer({ description: '0 for announcements' }),
  body: Type.String(),
  body_tree: TextNodes,
  file: Nullable(FileView),
  link: Nullable(Shared('ContentLinkView', { type: Type.String(), id: Type.Integer() })),
  reply_to: Nullable(Type.Integer()),
  mentions: Type.Array(Type.Integer()),
  ext: Nullable(OpenObject),
  created_at: Time,
  edited_at: Nullable(Time),
  deleted: Type.Boolean(),
})
export type ChatMessage = Static<typeof ChatMessage>

export const ChatMessages = Shared('ChatMessages', {
  data: Type.Array(ChatMessage, { description: 'Oldest first' }),
})

export const MessageParams = Type.Object({ chat: Id, message: Id })

const limit = Type.Optional(Int(1, 100, { default: 50 }))

export const MessagesQuery = Type.Object({
  limit,
  before: Type.Optional(Int(1, MAX_ID)),
  after: Type.Optional(Int(0, MAX_ID)),
})
export type MessagesQuery = Static<typeof MessagesQuery>

export const MessageSearch = Type.Object({
  q: Text(100, { minLength: 2 }),
  chat: Type.Optional(Id),
  limit,
  before: Type.Optional(Int(1, MAX_ID, { description: 'Id of the last message of the previous page' })),
})
export type MessageSearch = Static<typeof MessageSearch>

export const MessageContext = Shared('ReportedMessage', {
  message: ChatMessage,
  context: Type.Array(ChatMessage, { description: 'Up to five messages before and after the reported one' }),
})

export const noSuchChat = apiError(404, 'no_such_chat', 'This conversation does not exist.', '该会话不存在。')
/** Rejects chat requests while an external provider stores the messages. */
export const chatElsewhere = apiError(
  404,
  'chat_elsewhere',
  'This site exchanges messages through its chat provider.',
  '本站的聊天消息由即时通讯服务商收发。',
)
export const chatWithOneself = fieldError(
  'user',
  'chat_with_oneself',
  'You cannot chat with yourself.',
  '不能与自己聊天。',
)
export const ownerCannotLeave = apiError(
  422,
  'im_owner_stays',
  'The owner cannot leave. Transfer or delete the group instead.',
  '群主不能退出，请转让或解散群聊。',
)

export const CHAT_ERRORS = [noSuchChat, chatElsewhere]

export const ChatParams = Type.Object({ chat: Id })

export const Chat = Shared('Chat', {
  id: Type.Integer(),
  person: Nullable(UserView),
  group: Nullable(Shared('ChatGroup', { id: Type.String(), name: Type.String(), face: Type.String() })),
  last_position: Type.Integer({ description: 'Position of the newest message; 0 without messages' }),
  read_position: Type.Integer({ description: 'Position of the last message that I have read' }),
  unread: Type.Integer(),
  muted: Type.Boolean(),
  last_message: Nullable(ChatMessage),
})
export type Chat = Static<typeof Chat>

export const UnreadMessages = Shared('UnreadMessages', {
  unread: Type.Integer({ description: 'Unread messages of all my conversations that are not muted' }),
})

export const ChatsQuery = Type.Object({
  limit: Type.Optional(Int(1, 100, { default: 20 })),
  before: Type.Optional(
    Int(1, MAX_ID, { description: 'Id of the last message of the last conversation of the previous page' }),
  ),
})

export const ChatChange = Shared('ChatChange', { muted: Flag() })

export const ReadPosition = Shared('ReadPosition', { position: Int(0, MAX_ID) })

export const ReadPositions = Shared('ReadPositions', {
  data: Type.Array(
    Shared('MemberPosition', { user_id: Type.Integer(), position: Type.Integer(), updated_at: Time }),
  ),
})

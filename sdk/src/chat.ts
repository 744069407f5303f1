import type { components, paths } from './generated/api.ts'
import { type OpenStream, type StreamOptions, streamedEvents } from './stream.ts'

type Schemas = components['schemas']
export type Chat = Schemas['Chat']
export type ChatMessage = Schemas['ChatMessage']
export type NewChatMessage = Schemas['NewChatMessage']
type Pages = NonNullable<paths['/chats/{chat}/messages']['get']['parameters']['query']>

/**
 * Event of a conversation. `place` is its position in the stream, and `reset` means that the client must list
 * conversations again.
 */
export type ChatEvent = { place: string } & (
  | { event: 'message'; message: ChatMessage }
  | { event: 'read'; chatId: number; userId: number; position: number }
  | { event: 'typing'; chatId: number; userId: number }
  | { event: 'presence'; chatId: number; userIds: number[] }
  | { event: 'reset' }
)

export type ChatStreamOptions = Omit<StreamOptions, 'after'> & {
  /** `place` of the last handled event. By default the stream starts with new events. */
  after?: string
}

type Operations = {
  open: OpenStream
  openPerson(user: number): Promise<Chat>
  openGroup(group: number): Promise<Chat>
  send(chat: number, message: NewChatMessage): Promise<ChatMessage>
  messages(chat: number, query: Pages): Promise<{ data: ChatMessage[] }>
  read(chat: number, position: number): Promise<{ position: number }>
  typing(chat: number): Promise<unknown>
  presence(chat: number): Promise<unknown>
}

/** Sends and reads messages: `const chat = await kith.chat.withPerson(5); await kith.chat.send(chat.id, 'Hello')`. */
export class Chats {
  readonly #operations: Operations

  constructor(operations: Operations) {
    this.#operations = operations
  }

  withPerson(user: number): Promise<Chat> {
    return this.#operations.openPerson(user)
  }

  ofGroup(group: number): Promise<Chat> {
    return this.#operations.openGroup(group)
  }

  /** Sends a message. Retries after lost responses never store the message twice. */
  send(chat: number, message: string | NewChatMessage): Promise<ChatMessage> {
    return this.#operations.send(chat, typeof message === 'string' ? { body: message } : message)
  }

  /** Lists messages in ascending order. Returns the newest messages unless `query` names a position. */
  async messages(chat: number, query: Pages = {}): Promise<ChatMessage[]> {
    return (await this.#operations.messages(chat, query)).data
  }

  /** Marks messages up to a position as read, and returns the stored read position. */
  async read(chat: number, position: number): Promise<number> {
    return (await this.#operations.read(chat, position)).position
  }

  async typing(chat: number): Promise<void> {
    await this.#operations.typing(chat)
  }

  /**
   * Announces the user as present to connected members. Other members' announcements arrive as `presence`
   * events.
   */
  async presence(chat: number): Promise<void> {
    await this.#operations.presence(chat)
  }

  /** Yields each new, edited or deleted message once, and the other events of conversations as they arrive. */
  async *events({ after, ...options }: ChatStreamOptions = {}): AsyncGenerator<ChatEvent, void, undefined> {
    const positions = new Map<number, number>()
    const changes = new Map<number, string>()
    for await (const { event, id: place, data } of streamedEvents(this.#operations.open, {
      ...options,
      after,
    })) {
      const parsed = JSON.parse(data)
      if (event === 'message') {
        const message = parsed as ChatMessage
        const isNew = message.position > (positions.get(message.chat_id) ?? 0)
        const state = `${message.edited_at} ${message.body} ${message.deleted}`
        const isChanged = message.edited_at !== null || message.deleted
        if (!isNew && (!isChanged || changes.get(message.id) === state)) continue
        if (isNew) positions.set(message.chat_id, message.position)
        if (isChanged) changes.set(message.id, state)
        yield { place, event, message }
      } else if (event === 'read')
        yield { place, event, chatId: parsed.chat_id, userId: parsed.user_id, position: parsed.position }
      else if (event === 'typing') yield { place, event, chatId: parsed.chat_id, userId: parsed.user_id }
      else if (event === 'presence') yield { place, event, chatId: parsed.chat_id, userIds: parsed.user_ids }
      else if (event === 'reset') yield { place, event }
    }
  }
}

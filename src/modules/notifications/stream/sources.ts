import type { Context } from '#platform/context.ts'
import type { EventStream } from './event-stream.ts'

/** The open streams of this process that asked for chat messages. */
export type OpenStreams = {
  of(userId: number): EventStream[]
  all(): EventStream[]
}

/** A source of chat events on the streams that ask for them. A higher module offers it. */
export type ChatSource = {
  /**
   * Starts a stream after a cursor of an earlier one, else with what is new. Resolves when the start is known.
   */
  open(stream: EventStream, after: number | undefined): Promise<void>
  /** Continues a stream whose full buffer has drained. */
  resume(stream: EventStream): void
  /** Looks for events whose signals were lost. */
  poll(): void
  close(): void
}
export type CreateChatSource = (ctx: Context, streams: OpenStreams) => ChatSource

/** What to ask a model, whatever the format of the request. */

export const CHAT_FORMATS = ['chat-completion', 'responses', 'messages', 'content-generation'] as const
export type ChatFormat = (typeof CHAT_FORMATS)[number]

export const EFFORTS = ['', 'low', 'medium', 'high'] as const
/** Empty for the model's default. */
export type Effort = (typeof EFFORTS)[number]

export interface Attachment {
  readonly kind: 'image' | 'pdf' | 'text'
  readonly name: string
  /** The media type, such as `image/png`. */
  readonly type: string
  /** In Base64; the text itself for a text. */
  readonly data: string
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON, as the model wrote it. */
  readonly arguments: string
}

export interface ToolResult {
  readonly call: ToolCall
  readonly output: string
}

export type Turn = UserTurn | AssistantTurn | ToolTurn

export interface UserTurn {
  readonly role: 'user'
  readonly text: string
  readonly files?: readonly Attachment[]
}

export interface AssistantTurn {
  readonly role: 'assistant'
  readonly text: string
  readonly calls?: readonly ToolCall[]
}

/** The results of all calls of the turn before. */
export interface ToolTurn {
  readonly role: 'tool'
  readonly results: readonly ToolResult[]
}

export type JsonObject = Readonly<Record<string, unknown>>

/** A function that the model may ask to call. */
export interface Tool {
  readonly name: string
  readonly description: string
  /** The JSON schema of its arguments. */
  readonly parameters: JsonObject
}

export interface Question {
  readonly format: ChatFormat
  readonly model: string
  /** Empty for none. */
  readonly system: string
  readonly turns: readonly Turn[]
  readonly temperature: number | null
  readonly maxTokens: number | null
  readonly effort: Effort
  readonly isStreamed: boolean
  readonly tools?: readonly Tool[]
  /** The JSON schema of the response; null for free text. */
  readonly schema?: JsonObject | null
}

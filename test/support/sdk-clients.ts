import { OpenAI as OpenAi7 } from 'openai'
import { OpenAI as OpenAi6 } from 'openai-6'

export interface ClientOptions {
  readonly apiKey: string
  readonly baseURL: string
  readonly maxRetries: number
}

/** The official client in the versions people have, all driven through the types of the newest. */
export const OPENAI_SDKS = [
  ['openai 7', OpenAi7, (options: ClientOptions) => new OpenAi7(options)],
  [
    'openai 6',
    // What differs between the two versions are types this project's tests do not touch.
    OpenAi6 as unknown as typeof OpenAi7,
    (options: ClientOptions) => new OpenAi6(options) as unknown as OpenAi7,
  ],
] as const

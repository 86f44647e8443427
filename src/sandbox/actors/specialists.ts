import { SandboxError } from '../sandbox-error.ts'
import type { Actor } from './actor.ts'

/** Models that do one thing, and that is not talking. Their faces know how it is done. */
export const specialists: readonly Actor[] = [
  {
    ...specialist('sandbox-embedding', 'Embeds texts: similar words give similar vectors. No text.'),
    embeds: true,
  },
  specialist('sandbox-rerank', 'Ranks documents by the words that they share with a query. No text.'),
  specialist('sandbox-moderation', 'Flags texts and images that name a category, such as violence. No text.'),
  specialist('sandbox-transcribe', 'Transcribes audio, and counts minutes. No text.'),
  specialist('sandbox-transcribe-tokens', 'Transcribes audio, and counts tokens. No text.'),
  specialist('sandbox-speech', 'Speaks a text, and counts characters. No text.'),
  specialist('sandbox-speech-tokens', 'Speaks a text, and counts tokens. No text.'),
]

function specialist(model: string, summary: string): Actor {
  return {
    model,
    summary,
    speak: () => {
      throw new SandboxError('bad-request', `The model '${model}' does not answer text.`, { field: 'model' })
    },
  }
}

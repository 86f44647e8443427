import { requestBody } from '../contract-notes.ts'
import type { FormatContract } from '../protocol.ts'
import { ModerationReplySchema, ModerationRequestSchema } from './schema.ts'

export const MODERATION_CONTRACT: FormatContract = {
  id: 'createModeration',
  tag: 'Moderations',
  summary: 'Check texts and images for harmful content',
  description: 'For models with `moderation` in `gateway.kinds`.',
  body: requestBody('ModerationRequest', ModerationRequestSchema, {
    model: 'sandbox-moderation',
    input: 'A story without violence.',
  }),
  answer: {
    description: 'A verdict for each text, or one for all parts together.',
    name: 'Moderation',
    schema: ModerationReplySchema,
    example: {
      id: 'modr-1',
      model: 'sandbox-moderation',
      results: [{ flagged: true, categories: { violence: true }, category_scores: { violence: 0.98 } }],
    },
  },
}

import { Refusal } from '../refusal.ts'
import type { Actor } from './actor.ts'

export const image: Actor = {
  model: 'sandbox-image',
  summary: 'Draws pictures; it does not talk.',
  speak: () => {
    throw new Refusal(
      'bad-request',
      "The model 'sandbox-image' makes pictures and cannot hold a conversation.",
      {
        field: 'model',
      },
    )
  },
}

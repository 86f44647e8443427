import type { Actor } from './actor.ts'
import { chat } from './chat.ts'
import { flaky } from './flaky.ts'
import { image, imageBase64 } from './image.ts'
import { reasoner } from './reasoner.ts'
import { createSlow, type SlowPace } from './slow.ts'
import { tools } from './tools.ts'

/** Everyone on stage, in the order the model list shows them. */
export function createActors(pace: SlowPace): readonly Actor[] {
  return [chat, reasoner, tools, createSlow(pace), flaky, image, imageBase64]
}

import { type Ask, lastUserText } from '../performance/ask.ts'
import { takeCharacters } from '../performance/tokens.ts'
import { SandboxError } from '../sandbox-error.ts'
import type { Actor, PainterKind } from './actor.ts'

const LONGEST_QUOTE = 200

export const image = createPainter('sandbox-image', {
  paints: 'classic',
  summary: 'Generates and edits images, by URL or as Base64. No text.',
})

export const imageBase64 = createPainter('sandbox-image-base64', {
  paints: 'base64-only',
  summary: 'Generates and edits images, always as Base64. No text.',
})

function createPainter(model: string, traits: { paints: PainterKind; summary: string }): Actor {
  return {
    model,
    ...traits,
    speak: (ask, choice) => {
      if (ask.image === undefined) throw refuseTalk(model)
      if (declinesImage(lastUserText(ask))) return [{ type: 'refuse', text: 'I cannot draw that.' }]
      return ask.image.withWords ? [{ type: 'say', text: presentImage(ask, choice) }] : []
    },
  }
}

function refuseTalk(model: string): SandboxError {
  const message = `The model '${model}' generates images and does not answer text.`
  return new SandboxError('bad-request', message, { field: 'model' })
}

/** The same word makes the models that talk decline. */
export function declinesImage(prompt: string): boolean {
  return /refuse/i.test(prompt)
}

function presentImage(ask: Ask, choice: number): string {
  const subject = takeCharacters(lastUserText(ask), LONGEST_QUOTE)
  return `Here is image ${choice + 1} for "${subject}".`
}

import { nextTurn } from '../delivery/wait.ts'
import { openStudio } from '../pictures/open-studio.ts'
import type { GivenPicture, PictureAsk } from '../pictures/picture-ask.ts'
import { Refusal } from '../refusal.ts'
import { type Ask, lastUserText, lastUserTurn, type Picture, type PictureWish } from './ask.ts'
import { type Choice, type Performance, readStep } from './performance.ts'
import { countTokens } from './tokens.ts'

/** What a picture costs in an answer, whatever its size. */
export const TOKENS_PER_MADE_PICTURE = 1290

/** Ends every answer that was not broken off with a picture, if pictures are wanted at all. */
export async function addPictures(performance: Performance, ask: Ask): Promise<Performance> {
  if (ask.picture === undefined) return performance
  const studio = openStudio(toPictureAsk(ask, ask.picture))
  const choices: Choice[] = []
  for (const [variant, choice] of performance.choices.entries()) {
    // Others are served between two pictures, each of which takes a while.
    await nextTurn()
    choices.push(isOpenEnded(choice) ? endWithPicture(choice, ask, () => studio.make(variant)) : choice)
  }
  return { ...performance, choices, usage: addTokens(performance.usage, choices) }
}

function isOpenEnded({ finish, stopSequence }: Choice): boolean {
  return finish === 'stop' && stopSequence === null
}

/** A picture cannot be given by half, so one that the caller's limit has no room for does not come at all. */
function endWithPicture(choice: Choice, { maxOutputTokens }: Ask, make: () => Uint8Array): Choice {
  const characters = choice.steps.reduce((sum, step) => sum + readStep(step).length, 0)
  const tokens = countTokens(characters) + TOKENS_PER_MADE_PICTURE
  const isOverLimit = maxOutputTokens !== null && tokens > maxOutputTokens
  return isOverLimit ? { ...choice, finish: 'length' } : { ...choice, picture: make() }
}

function addTokens(usage: Performance['usage'], choices: readonly Choice[]): Performance['usage'] {
  if (usage === null) return null
  const pictures = choices.filter(({ picture }) => picture !== undefined).length
  const pictureOutput = pictures * TOKENS_PER_MADE_PICTURE
  return { ...usage, output: usage.output + pictureOutput, pictureOutput }
}

function toPictureAsk(ask: Ask, { size }: PictureWish): PictureAsk {
  return {
    model: ask.model,
    prompt: lastUserText(ask),
    count: ask.choices,
    size,
    quality: 'medium',
    mood: 'vivid',
    isTransparent: false,
    sources: findPictures(ask).map(toGiven),
    mask: null,
  }
}

/** Those of the question; where it has none, it is about the latest ones there are, be they the model's own. */
function findPictures(ask: Ask): readonly Picture[] {
  const asked = lastUserTurn(ask)?.pictures ?? []
  return asked.length > 0
    ? asked
    : (ask.turns.findLast(({ pictures }) => pictures.length > 0)?.pictures ?? [])
}

function toGiven({ base64 }: Picture): GivenPicture {
  const field = 'contents'
  if (base64 !== undefined) return { field, bytes: Buffer.from(base64, 'base64') }
  const message = 'Unable to process input image: the sandbox fetches no linked pictures.'
  throw new Refusal('bad-request', message, { field })
}

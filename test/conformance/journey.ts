import { expect } from 'bun:test'
import type { Cell } from './play.ts'
import type { Stage } from './stage.ts'
import { type Driver, type Mode, type Opening, TEXT_FORMATS } from './talk.ts'

export interface Journey {
  readonly opening: Opening
  /** Suppliers of every other format, or another one of the same format that signs with its own secret. */
  readonly to: 'other-formats' | 'stranger'
}

/** Moves a tool loop with thinking to other suppliers and back. */
export async function playJourney(
  { opening, to }: Journey,
  { driver, supplier, mode }: Cell & { readonly mode: Mode },
  stage: Stage,
): Promise<void> {
  const here = stage.keyFor(supplier)
  const others = TEXT_FORMATS.filter((format) => format !== supplier)
  const theirs = to === 'stranger' ? [stage.gatedKeyFor(supplier)] : others.map(stage.keyFor)
  for (const there of theirs)
    await travel(driver, { opening, mode, keys: [here, there, here], url: stage.gateway.url })
}

interface Travel {
  readonly opening: Opening
  readonly mode: Mode
  /** Keys of the suppliers of one turn after another. */
  readonly keys: readonly [first: string, second: string, third: string]
  readonly url: string
}

async function travel(driver: Driver, { opening, mode, keys, url }: Travel): Promise<void> {
  const talk = driver.open(opening, url)
  const [first, second, third] = keys
  const asked = await talk.ask({ key: first, mode })
  const [call] = asked.calls
  if (call === undefined) throw new Error('the model made no call')
  expect(asked.thoughts).toStartWith('Let me think')
  talk.answer([{ ...call, text: '18 degrees' }])
  const concluded = await talk.ask({ key: second, mode })
  expect(concluded).toMatchObject({ text: 'get_weather returned: 18 degrees', finish: 'stop' })
  talk.say('And in Rome?')
  expect(await talk.ask({ key: third, mode })).toMatchObject({ calls: [{ name: 'get_weather' }] })
}

import type { TextFormat } from '../conformance/talk.ts'
import { classify, type Fate, TEXT_FORMATS, type Verdict } from './classify.ts'
import { SAMPLES, type Sample } from './samples.ts'

/** A chapter for each format of clients: what becomes of its parameters at suppliers of each format. */
export function layOutParameters(): string {
  return TEXT_FORMATS.map(layOutChapter).join('\n')
}

function layOutChapter(client: TextFormat): string {
  const others = TEXT_FORMATS.filter((format) => format !== client)
  const heads = ['Parameter', `to ${client}`, ...others.map((format) => `to ${format}`)]
  const lines = SAMPLES[client].map((sample) => {
    const cells = [client, ...others].map((supplier) => spell(classify(client, supplier, sample)))
    return `| ${[nameOf(sample), ...cells].join(' | ')} |\n`
  })
  return `### From ${client}\n\n| ${heads.join(' | ')} |\n|${heads.map(() => '---|').join('')}\n${lines.join('')}`
}

export function nameOf({ name, kind }: Sample): string {
  return kind === undefined ? `\`${name}\`` : `\`${name}\`: \`${kind}\``
}

const WORDS: Readonly<Record<Fate, string>> = {
  passed: 'passed',
  translated: 'translated',
  dropped: 'dropped',
  refused: 'refused',
  'done here': 'done by the gateway',
  silent: 'the same without it',
}

function spell({ fate, told }: Verdict): string {
  return told.length === 0 ? WORDS[fate] : `${WORDS[fate]} (${told.map((name) => `\`${name}\``).join(', ')})`
}

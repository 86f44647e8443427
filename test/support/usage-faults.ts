import type { Usage } from '../../src/conversation/usage.ts'

/** Ways in which a usage counts a token twice or below zero; none for a usage that any reader may return. */
export function usageFaults({ details = {}, ...counts }: Usage): string[] {
  const numbers = Object.entries({ ...counts, ...details }).filter(([name]) => !WORDS.includes(name))
  const invalid = numbers.filter(([, count]) => !Number.isSafeInteger(count) || Number(count) < 0)
  const zeros = Object.entries(details).filter(([, value]) => value === 0 || value === undefined)
  const wholes: readonly (readonly [string, number, readonly (number | undefined)[]])[] = [
    ['input', counts.input, [details.audioInput, details.imageInput]],
    ['cacheRead', counts.cacheRead, [details.audioCacheRead, details.imageCacheRead]],
    ['cacheWrite', counts.cacheWrite, [details.cacheWrite30m, details.cacheWrite1h, details.cacheWrite12h]],
    ['output', counts.output, [counts.reasoning, details.audioOutput, details.imageOutput]],
  ]
  const overlapping = wholes.filter(([, whole, parts]) => sum(parts) > whole)
  return [
    ...invalid.map(([name]) => `${name} is not a count`),
    ...zeros.map(([name]) => `${name} says nothing`),
    ...overlapping.map(([name]) => `parts of ${name} overlap`),
  ]
}

const WORDS = ['serviceTier', 'imageSize', 'imageQuality', 'isContradictory']

function sum(parts: readonly (number | undefined)[]): number {
  return parts.reduce<number>((total, part = 0) => total + part, 0)
}

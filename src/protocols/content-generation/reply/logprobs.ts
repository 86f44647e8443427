import type { TokenLogprob } from '../../../conversation/answer.ts'
import { asArray, asObject, type JsonObject } from '../../../wire/json-values.ts'

type Token = Pick<TokenLogprob, 'token' | 'logprob'>

/** The log probabilities of a candidate; empty when it has none. */
export function decodeLogprobs(result: unknown): TokenLogprob[] {
  const { chosenCandidates, topCandidates } = asObject(result) ?? {}
  const tops = asArray(topCandidates)
  return asArray(chosenCandidates).flatMap((chosen, index) => {
    const top = asArray(asObject(tops[index])?.candidates).flatMap(decodeToken)
    return decodeToken(chosen).map((token) => ({ ...token, top }))
  })
}

function decodeToken(value: unknown): Token[] {
  const { token, logProbability } = asObject(value) ?? {}
  if (typeof token !== 'string' || typeof logProbability !== 'number') return []
  return [{ token, logprob: logProbability }]
}

export function encodeLogprobs(logprobs: readonly TokenLogprob[] | null): JsonObject {
  if (logprobs === null || logprobs.length === 0) return {}
  return {
    logprobsResult: {
      chosenCandidates: logprobs.map(encodeToken),
      topCandidates: logprobs.map(({ top }) => ({ candidates: top.map(encodeToken) })),
    },
  }
}

function encodeToken({ token, logprob }: Token) {
  return { token, logProbability: logprob }
}

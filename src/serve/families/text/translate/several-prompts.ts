import type { Answer } from '../../../../conversation/answer.ts'
import { GatewayError } from '../../../../errors/gateway-error.ts'
import type { SupplierFailure } from '../../../../errors/supplier-failure.ts'
import type { ClientSide } from '../../../../protocols/translation.ts'
import type { LanePlan, WholeReply } from '../lanes/lane-plan.ts'
import { withUsage } from './estimate-usage.ts'
import { encodeFrames, sumUsage, type TranslationParts } from './translate.ts'

/** How many calls one request may become. */
const MAX_CALLS = 128

type PlanOne = (parts: TranslationParts) => Promise<LanePlan>

/**
 * Plans a request with several prompts for a supplier that takes one conversation at a time: each prompt is a call of its
 * own, and the answers become the choices of one reply. A client that wants a stream gets them all at the end.
 */
export async function planPrompts(
  prompts: readonly ClientSide['decode'][],
  parts: TranslationParts,
  planOne: PlanOne,
): Promise<LanePlan> {
  const calls: LanePlan[] = []
  let copies = 0
  for (const decode of prompts) {
    const plan = await planOne({ ...parts, client: answering(decode) })
    calls.push(plan)
    copies += plan.copies
    if (Math.max(copies, prompts.length) > MAX_CALLS) throw tooMany()
  }
  return joinCalls(calls, parts)
}

/** The client of a single prompt: the reply for it is the answer itself. */
function answering(decode: ClientSide['decode']): ClientSide {
  return {
    decode: () => ({ ...decode(), stream: false }),
    encodeReply: (answer) => ({ ...answer }),
    openEncoder: () => {
      throw new Error('a whole reply was asked for')
    },
  }
}

function tooMany(): GatewayError {
  const message = `This model is asked once for each prompt, and at most ${MAX_CALLS} times for one request. Send fewer prompts at a time.`
  return new GatewayError('invalid_request', message, { param: 'prompt' })
}

function joinCalls(calls: readonly LanePlan[], parts: TranslationParts): LanePlan {
  const bodies = calls.flatMap(({ body, copies }) => Array.from({ length: copies }, () => body))
  const [first] = calls
  if (first === undefined) throw new Error('there is no prompt')
  return {
    supplierProtocol: first.supplierProtocol,
    body: first.body,
    bodies,
    copies: bodies.length,
    isStreamed: false,
    dropped: first.dropped,
    openTap: () => {
      throw new Error('whole replies were asked for')
    },
    readWhole: (replies) => readReplies(replies, calls, parts),
    mend: (failure) => mendCalls(failure, calls, parts),
    noteAnswered: () => first.noteAnswered?.(),
  }
}

function readReplies(
  replies: readonly string[],
  calls: readonly LanePlan[],
  { client, reply: context }: TranslationParts,
): WholeReply | null {
  const wholes: WholeReply[] = []
  let place = 0
  for (const call of calls) {
    const whole = call.readWhole(replies.slice(place, place + call.copies))
    if (whole === null) return null
    place += call.copies
    wholes.push(whole)
  }
  const usage = sumUsage(wholes.map(({ facts }) => facts))
  const outputCharacters = wholes.reduce((sum, { facts }) => sum + facts.outputCharacters, 0)
  const answers = wholes.map(({ reply }) => reply as Answer)
  const answer = withUsage({ ...joinAnswers(answers, client), usage }, context.promptTokens)
  const facts = { usage, outputCharacters, inlineImages: 0 }
  if (client.decode().stream) return { ...encodeFrames(answer, { client, reply: context }), facts }
  const reply = client.encodeReply(answer, context)
  return { body: JSON.stringify(reply), facts, reply }
}

/** A supplier may send fewer answers than wanted; those to the next prompt keep their places. */
function joinAnswers(answers: readonly Answer[], client: ClientSide): Answer {
  const perPrompt = client.decode().choices
  const choices = answers.flatMap(({ choices: ofPrompt }, prompt) =>
    ofPrompt.slice(0, perPrompt).map((choice, index) => ({ ...choice, index: prompt * perPrompt + index })),
  )
  return { id: answers[0]?.id ?? '', choices, usage: null }
}

async function mendCalls(
  failure: SupplierFailure,
  calls: readonly LanePlan[],
  parts: TranslationParts,
): Promise<LanePlan | null> {
  const mended: LanePlan[] = []
  for (const call of calls) {
    const plan = ((await call.mend?.(failure)) ?? null) as LanePlan | null
    if (plan === null) return null
    mended.push(plan)
  }
  return joinCalls(mended, parts)
}

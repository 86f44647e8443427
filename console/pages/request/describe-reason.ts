/** The reasons that the gateway records by a word of its own. */
const SENTENCES: Readonly<Record<string, string>> = {
  'only candidate': 'Chosen because it is the only supplier available.',
  affinity: 'Chosen because it answered this conversation before.',
  explore: 'Chosen to measure it: a few requests go to a supplier that is not the first choice.',
  probe: 'Chosen to find out whether it works again.',
  'last resort': 'Chosen as a last resort, because no supplier was known to work.',
  hedge: 'Called as well, because the one before was slow.',
  mended: 'Called again with a repaired request, because the supplier had rejected a part of it.',
  unscored: 'Chosen by priority.',
}

const SCORE = /^score (\S+): price (\S+) latency (\S+) success ([^\s,]+)$/
const WEIGHT = /^priority (\d+), weight (\d+)$/
const SPENT = ', little capacity left'

/** Why the gateway tried this supplier, in the words of somebody who does not know its code. */
export function describeReason(reason: string): string {
  if (reason.endsWith(SPENT)) {
    return `${describeReason(reason.slice(0, -SPENT.length))} It has little capacity left.`
  }
  const [, whole, price, latency, success] = SCORE.exec(reason) ?? []
  if (whole !== undefined) {
    return `Chosen because of its score: ${whole} of 1 (price ${price}, speed ${latency}, success ${success}).`
  }
  const [, priority, weight] = WEIGHT.exec(reason) ?? []
  if (priority !== undefined) return `Chosen by priority ${priority}, by chance with weight ${weight}.`
  return SENTENCES[reason] ?? `Chosen because: ${reason}`
}

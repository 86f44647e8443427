import { expect, test } from 'bun:test'
import { describeReason } from './describe-reason.ts'

test.each([
  ['only candidate', 'Chosen because it is the only supplier available.'],
  ['affinity', 'Chosen because it answered this conversation before.'],
  ['hedge', 'Called as well, because the one before was slow.'],
  ['priority 1, weight 2', 'Chosen by priority 1, by chance with weight 2.'],
  [
    'score 0.83: price 0.9 latency 0.77 success 1',
    'Chosen because of its score: 0.83 of 1 (price 0.9, speed 0.77, success 1).',
  ],
  [
    'score 0.5: price 0.5 latency 1 success 1, little capacity left',
    'Chosen because of its score: 0.5 of 1 (price 0.5, speed 1, success 1). It has little capacity left.',
  ],
  ['unscored, little capacity left', 'Chosen by priority. It has little capacity left.'],
  ['first choice', 'Chosen because: first choice'],
])('the reason "%s" is said as "%s"', (reason, sentence) => {
  expect(describeReason(reason)).toBe(sentence)
})

test('no reason of the gateway is left as it is recorded', () => {
  for (const reason of ['explore', 'probe', 'last resort', 'mended', 'unscored']) {
    expect(describeReason(reason)).not.toContain(`: ${reason}`)
  }
})

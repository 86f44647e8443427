import { expect, test } from 'bun:test'
import { createTurnstile, nextTurn } from './wait.ts'

test('lets in so many at once, in order, and goes on after a failure', async () => {
  const enter = createTurnstile(2)
  const inside: number[] = []
  const leave: (() => void)[] = []
  const visits = [0, 1, 2, 3].map((visitor) =>
    enter(async () => {
      inside.push(visitor)
      await new Promise<void>((resolve) => {
        leave[visitor] = resolve
      })
      if (visitor === 1) throw new Error('fell')
      return visitor
    }),
  )
  await nextTurn()
  expect(inside).toEqual([0, 1])
  leave[1]?.()
  await expect(visits[1]).rejects.toThrow('fell')
  await nextTurn()
  expect(inside).toEqual([0, 1, 2])
  leave[0]?.()
  await nextTurn()
  expect(inside).toEqual([0, 1, 2, 3])
  leave[2]?.()
  leave[3]?.()
  expect(await Promise.all([visits[0], visits[2], visits[3]])).toEqual([0, 2, 3])
  expect(await enter(async () => 'later')).toBe('later')
})

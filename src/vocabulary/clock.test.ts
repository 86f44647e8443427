import { describe, expect, jest, test } from 'bun:test'
import { withTimeout } from './clock.ts'

const never = () => new Promise<string>(() => {})

describe('withTimeout', () => {
  test('returns the result of work that finishes in time', async () => {
    expect(await withTimeout(10_000, Promise.resolve('done'), () => 'late')).toBe('done')
  })

  test('returns the replacement when the work is late', async () => {
    expect(await withTimeout(1, never(), () => 'late')).toBe('late')
  })

  test('fails with what the replacement throws', async () => {
    const late = withTimeout(1, never(), () => {
      throw new Error('too late')
    })
    await expect(late).rejects.toThrow('too late')
  })

  test('fails with what the work throws', async () => {
    const failed = withTimeout(10_000, Promise.reject(new Error('broken')), () => 'late')
    await expect(failed).rejects.toThrow('broken')
  })

  test('restarts the timeout when the work reports progress', async () => {
    jest.useFakeTimers()
    try {
      const work = async (onProgress: () => void) => {
        for (let step = 0; step < 4; step += 1) {
          jest.advanceTimersByTime(900)
          onProgress()
          await null
        }
        return 'done'
      }
      expect(await withTimeout(1_000, work, () => 'late')).toBe('done')
    } finally {
      jest.useRealTimers()
    }
  })
})

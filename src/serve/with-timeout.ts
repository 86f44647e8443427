/** The answer, or what is made of it when it does not come in time. It may still come; nobody waits for it then. */
export async function withTimeout<Answer>(
  patienceMs: number,
  answer: Promise<Answer>,
  whenLate: () => Answer,
): Promise<Answer> {
  const { promise: late, resolve, reject } = Promise.withResolvers<Answer>()
  const timer = setTimeout(() => {
    try {
      resolve(whenLate())
    } catch (error) {
      reject(error)
    }
  }, patienceMs)
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

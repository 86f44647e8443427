import type { PictureAnswer } from '../../conversation/pictures.ts'
import { addUsage, type Usage } from '../../conversation/usage.ts'

/** Several answers, each to one copy of the request, as one. A report that not all of them make is none. */
export function mergePictureAnswers(answers: readonly PictureAnswer[]): PictureAnswer | null {
  const [first, ...others] = answers
  if (first === undefined || others.length === 0) return first ?? null
  const { usage: _one, ...remarks } = first.remarks
  return {
    pictures: answers.flatMap(({ pictures }) => pictures),
    usage: answers.map(({ usage }) => usage).reduce(addReports),
    remarks,
    refusal: answers.find(({ refusal }) => refusal !== null)?.refusal ?? null,
  }
}

function addReports(one: Usage | null, other: Usage | null): Usage | null {
  return one === null || other === null ? null : addUsage(one, other)
}

import { readFileSync } from 'node:fs'

/** Polls the memory of a process until stopped, and returns the peak. */
export function watchMemory(pid: number): { stop(): number } {
  let most = residentBytes(pid)
  const timer = setInterval(() => {
    most = Math.max(most, residentBytes(pid))
  }, 10)
  return {
    stop: () => {
      clearInterval(timer)
      return Math.max(most, residentBytes(pid))
    },
  }
}

export function residentBytes(pid: number): number {
  const resident = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(resident ?? 0) * 1_024
}

import { expect, test } from 'bun:test'
import { GatewayError } from '../../errors/gateway-error.ts'
import { type LiveStream, LiveStreams } from './live-streams.ts'

test('heartbeats and failures reach every running stream and no ended one', () => {
  const streams = new LiveStreams()
  const heard: string[] = []
  const streamNamed = (name: string): LiveStream => ({
    beat: (nowMs) => heard.push(`${name} ${nowMs}`),
    fail: (error) => heard.push(`${name} ${error.code}`),
  })
  const [one, two] = [streamNamed('one'), streamNamed('two')]
  streams.add(one)
  streams.add(two)
  streams.beat(5)
  streams.remove(one)
  streams.beat(6)
  streams.failAll(new GatewayError('shutting_down', 'Bye.'))
  expect(heard).toEqual(['one 5', 'two 5', 'two 6', 'two shutting_down'])
  expect(streams.size).toBe(1)
})

test('a stream that ends during a heartbeat does not disturb the others', () => {
  const streams = new LiveStreams()
  const heard: number[] = []
  const ending: LiveStream = { beat: () => streams.remove(ending), fail: () => undefined }
  streams.add(ending)
  streams.add({ beat: (nowMs) => heard.push(nowMs), fail: () => undefined })
  streams.beat(7)
  expect(heard).toEqual([7])
  expect(streams.size).toBe(1)
})

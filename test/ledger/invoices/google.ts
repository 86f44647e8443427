import type { Invoice } from './invoice.ts'

const FLASH = {
  documented: 'Gemini 3.8 Flash: 0.75 in and 3.75 out through December 31, 2026, then 1.50 and 7.50',
  price: {
    input: '0.75',
    output: '3.75',
    variants: [{ when: { from: '2027-01-01T00:00:00Z' }, input: '1.5', output: '7.5' }],
  },
  format: 'content-generation',
  reply: {
    candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 1_001, candidatesTokenCount: 11, totalTokenCount: 1_012 },
  },
} as const

export const GOOGLE_INVOICES: readonly Invoice[] = [
  {
    name: 'Gemini, above 200,000 tokens',
    documented: 'Gemini 3.1 Pro: 2 in, 0.20 cached, 12 out with thoughts; above 200k tokens 4, 0.40 and 18',
    price: {
      input: '2',
      output: '12',
      cache_read: '0.2',
      variants: [{ when: { prompt_above: 200_000 }, input: '4', output: '18', cache_read: '0.4' }],
    },
    format: 'content-generation',
    reply: {
      candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: 210_001,
        cachedContentTokenCount: 180_000,
        candidatesTokenCount: 1_203,
        thoughtsTokenCount: 3_597,
        totalTokenCount: 214_801,
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: 210_001 }],
        cacheTokensDetails: [{ modality: 'TEXT', tokenCount: 180_000 }],
      },
    },
    items: { cacheRead: [180_000, '0.4'], input: [30_001, '4'], output: [4_800, '18'] },
    // 0.072 + 0.120004 + 0.0864
    sum: '0.278404',
  },
  {
    name: 'Gemini, audio',
    documented:
      'Gemini 3.1 Flash-Lite: 0.25 text, image and video, 0.50 audio; cached 0.025 and 0.05; 1.50 out',
    price: {
      input: '0.25',
      output: '1.5',
      cache_read: '0.025',
      audio_input: '0.5',
      audio_cache_read: '0.05',
    },
    format: 'content-generation',
    reply: {
      candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: 9_621,
        cachedContentTokenCount: 4_095,
        candidatesTokenCount: 207,
        totalTokenCount: 9_828,
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: 613 },
          { modality: 'AUDIO', tokenCount: 7_680 },
          { modality: 'VIDEO', tokenCount: 1_328 },
        ],
        cacheTokensDetails: [
          { modality: 'AUDIO', tokenCount: 3_840 },
          { modality: 'TEXT', tokenCount: 255 },
        ],
        candidatesTokensDetails: [{ modality: 'TEXT', tokenCount: 207 }],
      },
    },
    items: {
      cacheRead: [255, '0.025'],
      audioCacheRead: [3_840, '0.05'],
      input: [1_686, '0.25'],
      audioInput: [3_840, '0.5'],
      output: [207, '1.5'],
    },
    // 0.000006375 + 0.000192 + 0.0004215 + 0.00192 + 0.0003105
    sum: '0.002850375',
  },
  {
    name: 'Gemini, the last moment of an introductory price',
    ...FLASH,
    startedAt: '2026-12-31T23:59:59.999Z',
    items: { input: [1_001, '0.75'], output: [11, '3.75'] },
    sum: '0.000792',
  },
  {
    name: 'Gemini, the first moment after it',
    ...FLASH,
    startedAt: '2027-01-01T00:00:00Z',
    items: { input: [1_001, '1.5'], output: [11, '7.5'] },
    sum: '0.001584',
  },
]

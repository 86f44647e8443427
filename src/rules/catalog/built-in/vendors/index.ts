import addressOnly from './address-only.json' with { type: 'json' }
import anthropic from './anthropic.json' with { type: 'json' }
import cohere from './cohere.json' with { type: 'json' }
import deepseek from './deepseek.json' with { type: 'json' }
import google from './google.json' with { type: 'json' }
import groq from './groq.json' with { type: 'json' }
import mistral from './mistral.json' with { type: 'json' }
import ollama from './ollama.json' with { type: 'json' }
import openai from './openai.json' with { type: 'json' }
import openrouter from './openrouter.json' with { type: 'json' }
import together from './together.json' with { type: 'json' }
import vllm from './vllm.json' with { type: 'json' }
import voyage from './voyage.json' with { type: 'json' }
import xai from './xai.json' with { type: 'json' }

/** Vendors of which only the address is known here: OpenAI-compatible, and no maker of a model comes after them. */
const ADDRESS_ONLY = addressOnly.map((vendor) => ({
  type: 'openai-compatible',
  base_url_variable: null,
  priority: 3,
  collected_on: '2026-11-17',
  facts_from: [
    'general knowledge; about half of the addresses also stand in lists of LiteLLM or genai-prices',
  ],
  models: [],
  routes: [],
  ...vendor,
}))

/** Every file of the catalog, unchecked; adding a vendor is adding its file and its line here. */
export const VENDOR_FILES: readonly unknown[] = [
  openai,
  anthropic,
  google,
  deepseek,
  mistral,
  groq,
  xai,
  cohere,
  voyage,
  together,
  openrouter,
  ollama,
  vllm,
  ...ADDRESS_ONLY,
]

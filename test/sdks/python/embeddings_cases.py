import math

from google import genai
from google.genai import types
from langchain_openai import OpenAIEmbeddings
from llama_index.embeddings.openai_like import OpenAILikeEmbedding
from openai import OpenAI

from cases import BASE_URL, KEY, MODEL, expect, run

client = OpenAI(api_key=KEY, base_url=f"{BASE_URL}/v1", max_retries=0)
# Kept here, because a client closes when nothing refers to it any more.
google = genai.Client(api_key=KEY, http_options=types.HttpOptions(base_url=BASE_URL))
TEXTS = ["The keeper of the lighthouse", "the lighthouse keeper", "Bananas are yellow"]


def expect_vectors(vectors, dimensions):
    expect([len(vector) for vector in vectors] == [dimensions] * len(TEXTS), [len(vector) for vector in vectors])
    for vector in vectors:
        expect(abs(math.dist(vector, [0.0] * dimensions) - 1) < 1e-4, "the length of a vector is not 1")
    near = sum(a * b for a, b in zip(vectors[0], vectors[1]))
    far = sum(a * b for a, b in zip(vectors[0], vectors[2]))
    expect(near > far, (near, far))


def openai_sdk():
    reply = client.embeddings.create(model=MODEL, input=TEXTS, dimensions=64)
    expect([entry.index for entry in reply.data] == [0, 1, 2], reply.data)
    expect(reply.usage.prompt_tokens > 0, reply.usage)
    expect_vectors([entry.embedding for entry in reply.data], 64)


def openai_sdk_numbers():
    reply = client.embeddings.create(model=MODEL, input=TEXTS, encoding_format="float")
    expect_vectors([entry.embedding for entry in reply.data], 256)


def google_genai():
    config = types.EmbedContentConfig(task_type="RETRIEVAL_DOCUMENT", output_dimensionality=64)
    reply = google.models.embed_content(model=MODEL, contents=TEXTS, config=config)
    expect_vectors([embedding.values for embedding in reply.embeddings], 64)


def langchain():
    # Without this it sends tokens, which only some suppliers can read.
    embeddings = OpenAIEmbeddings(
        model=MODEL,
        api_key=KEY,
        base_url=f"{BASE_URL}/v1",
        dimensions=64,
        check_embedding_ctx_length=False,
        max_retries=0,
    )
    expect_vectors(embeddings.embed_documents(TEXTS), 64)
    expect(len(embeddings.embed_query(TEXTS[0])) == 64, "the query has another length")


def llama_index():
    embedding = OpenAILikeEmbedding(
        model_name=MODEL, api_key=KEY, api_base=f"{BASE_URL}/v1", dimensions=64, max_retries=0
    )
    expect_vectors(embedding.get_text_embedding_batch(TEXTS), 64)
    expect(len(embedding.get_query_embedding(TEXTS[0])) == 64, "the query has another length")


run([openai_sdk, openai_sdk_numbers, google_genai, langchain, llama_index])

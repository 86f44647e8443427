import base64
import json

import openai
from openai import OpenAI
from pydantic import BaseModel

from cases import BASE_URL, KEY, MODEL, OPEN_KEY, PNG, WEATHER_SCHEMA, expect, run

client = OpenAI(api_key=KEY, base_url=f"{BASE_URL}/v1", max_retries=0)
IMAGE_URL = f"data:image/png;base64,{PNG}"


class City(BaseModel):
    city: str
    inhabitants: int


def chat():
    reply = client.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": "say: hello"}])
    expect(reply.choices[0].message.content == "hello", reply)
    expect(reply.usage.total_tokens > 0, reply.usage)


def chat_stream():
    with client.chat.completions.stream(
        model=MODEL, messages=[{"role": "user", "content": "say: one two three"}]
    ) as stream:
        text = "".join(event.delta for event in stream if event.type == "content.delta")
    expect(text == "one two three", text)


def chat_tools():
    tool = {"type": "function", "function": {"name": "weather", "parameters": WEATHER_SCHEMA}}
    messages = [{"role": "user", "content": "How is the weather in Lisbon?"}]
    first = client.chat.completions.create(model=MODEL, messages=messages, tools=[tool])
    call = first.choices[0].message.tool_calls[0]
    expect("city" in json.loads(call.function.arguments), call)
    messages += [first.choices[0].message, {"role": "tool", "tool_call_id": call.id, "content": "sunny"}]
    second = client.chat.completions.create(model=MODEL, messages=messages, tools=[tool])
    expect("sunny" in second.choices[0].message.content, second)


def chat_structured_output():
    reply = client.chat.completions.parse(
        model=MODEL, messages=[{"role": "user", "content": "A city"}], response_format=City
    )
    expect(isinstance(reply.choices[0].message.parsed, City), reply)


def chat_image():
    content = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": IMAGE_URL}}]
    reply = client.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": content}])
    expect("1 image" in reply.choices[0].message.content, reply)


def responses():
    reply = client.responses.create(model=MODEL, input="say: hello")
    expect(reply.output_text == "hello", reply)
    again = client.responses.create(model=MODEL, input="say: again", previous_response_id=reply.id)
    expect(again.previous_response_id == reply.id, again)
    expect(client.responses.retrieve(again.id).output_text == "again", again.id)


def responses_stream():
    with client.responses.stream(model=MODEL, input="say: one two three") as stream:
        text = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
        final = stream.get_final_response()
    expect(text == final.output_text == "one two three", final)


def responses_tools():
    tool = {"type": "function", "name": "weather", "parameters": WEATHER_SCHEMA, "strict": True}
    first = client.responses.create(model=MODEL, input="How is the weather in Lisbon?", tools=[tool])
    call = next(item for item in first.output if item.type == "function_call")
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "sunny"}
    second = client.responses.create(model=MODEL, input=[result], tools=[tool], previous_response_id=first.id)
    expect("sunny" in second.output_text, second)


def responses_structured_output():
    reply = client.responses.parse(model=MODEL, input="A city", text_format=City)
    expect(isinstance(reply.output_parsed, City), reply)


def responses_compaction():
    compacted = client.responses.compact(model=MODEL, input=[{"role": "user", "content": "My cat is called Tom."}])
    expect(compacted.object == "response.compaction" and compacted.output[-1].type == "compaction", compacted)
    items = [item.model_dump(exclude_none=True) for item in compacted.output]
    reply = client.responses.create(model=MODEL, input=[*items, {"role": "user", "content": "Go on."}])
    expect(reply.status == "completed", reply)


def images():
    reply = client.with_options(api_key=OPEN_KEY).images.generate(model="sandbox-image-base64", prompt="a fox", size="256x256")
    expect(base64.b64decode(reply.data[0].b64_json).startswith(b"\x89PNG"), reply)


def errors():
    for call, expected in [
        (lambda: client.chat.completions.create(model="nobody", messages=[{"role": "user", "content": "Hi"}]), openai.NotFoundError),
        (lambda: client.chat.completions.create(model=MODEL, messages=[]), openai.BadRequestError),
        (lambda: client.with_options(api_key="sk-wrong").models.list(), openai.AuthenticationError),
    ]:
        try:
            call()
        except expected:
            continue
        raise AssertionError(f"no {expected.__name__}")


def models():
    expect(MODEL in [model.id for model in client.models.list()], "the model is not listed")


run([
    chat, chat_stream, chat_tools, chat_structured_output, chat_image, responses, responses_stream,
    responses_tools, responses_structured_output, responses_compaction, images, errors, models,
])

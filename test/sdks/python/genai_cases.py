import base64

from google import genai
from google.genai import errors as genai_errors
from google.genai import types
from pydantic import BaseModel

from cases import BASE_URL, KEY, MODEL, PNG, expect, run

# No API version: the SDK uses its own default, which differs between versions.
client = genai.Client(api_key=KEY, http_options=types.HttpOptions(base_url=BASE_URL))


class City(BaseModel):
    city: str
    inhabitants: int


def chat():
    reply = client.models.generate_content(model=MODEL, contents="say: hello")
    expect(reply.text == "hello" and reply.usage_metadata.total_token_count > 0, reply)


def stream():
    pieces = client.models.generate_content_stream(model=MODEL, contents="say: one two three")
    text = "".join(piece.text or "" for piece in pieces)
    expect(text == "one two three", text)


def tools():
    declaration = types.FunctionDeclaration(
        name="weather",
        parameters=types.Schema(type="OBJECT", properties={"city": types.Schema(type="STRING")}, required=["city"]),
    )
    config = types.GenerateContentConfig(tools=[types.Tool(function_declarations=[declaration])])
    question = types.Content(role="user", parts=[types.Part(text="How is the weather in Lisbon?")])
    first = client.models.generate_content(model=MODEL, contents=[question], config=config)
    call = first.function_calls[0]
    response = types.FunctionResponse(id=call.id, name=call.name, response={"result": "sunny"})
    result = types.Content(role="user", parts=[types.Part(function_response=response)])
    contents = [question, first.candidates[0].content, result]
    second = client.models.generate_content(model=MODEL, contents=contents, config=config)
    expect("sunny" in second.text, second)


def weather(city: str) -> str:
    """The weather of a city."""
    return "sunny"


def tool_runner():
    config = types.GenerateContentConfig(tools=[weather])
    reply = client.models.generate_content(model=MODEL, contents="How is the weather in Lisbon?", config=config)
    expect("sunny" in reply.text, reply)


def structured_output():
    config = types.GenerateContentConfig(response_mime_type="application/json", response_schema=City)
    reply = client.models.generate_content(model=MODEL, contents="A city", config=config)
    expect(isinstance(reply.parsed, City), reply)


def image():
    part = types.Part.from_bytes(data=base64.b64decode(PNG), mime_type="image/png")
    reply = client.models.generate_content(model=MODEL, contents=[part, "What is this?"])
    expect("1 image" in reply.text, reply)


def count_tokens():
    expect(client.models.count_tokens(model=MODEL, contents="Hello").total_tokens > 0, "no tokens")


def models():
    names = [model.name for model in client.models.list()]
    expect(f"models/{MODEL}" in names, names[:5])


def errors():
    try:
        client.models.generate_content(model="nobody", contents="Hi")
    except genai_errors.ClientError as error:
        expect(error.code == 404, error)
        return
    raise AssertionError("no ClientError")


run([chat, stream, tools, tool_runner, structured_output, image, count_tokens, models, errors])

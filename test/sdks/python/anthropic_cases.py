import anthropic
from anthropic import Anthropic, beta_tool
from pydantic import BaseModel

from cases import BASE_URL, KEY, MODEL, PNG, WEATHER_SCHEMA, expect, run

client = Anthropic(api_key=KEY, base_url=BASE_URL, max_retries=0)


class City(BaseModel):
    city: str
    inhabitants: int


def ask(content, **more):
    return client.messages.create(
        model=MODEL, max_tokens=1000, messages=[{"role": "user", "content": content}], **more
    )


def chat():
    reply = ask("say: hello")
    expect(reply.content[0].text == "hello" and reply.usage.output_tokens > 0, reply)


def stream():
    with client.messages.stream(
        model=MODEL, max_tokens=1000, messages=[{"role": "user", "content": "say: one two three"}]
    ) as opened:
        text = "".join(opened.text_stream)
        final = opened.get_final_message()
    expect(text == final.content[0].text == "one two three", final)


def tools():
    tool = {"name": "weather", "description": "The weather.", "input_schema": WEATHER_SCHEMA}
    question = {"role": "user", "content": "How is the weather in Lisbon?"}
    first = client.messages.create(model=MODEL, max_tokens=1000, messages=[question], tools=[tool])
    call = next(block for block in first.content if block.type == "tool_use")
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": "sunny"}]}
    messages = [question, {"role": "assistant", "content": first.content}, result]
    second = client.messages.create(model=MODEL, max_tokens=1000, messages=messages, tools=[tool])
    expect("sunny" in second.content[0].text, second)


@beta_tool
def weather(city: str) -> str:
    """The weather of a city.

    Args:
        city: Its name.
    """
    return "sunny"


def tool_runner():
    """Newer versions continue a thread of the server, and resend everything when told that there is none."""
    runner = client.beta.messages.tool_runner(
        model=MODEL,
        max_tokens=1000,
        tools=[weather],
        messages=[{"role": "user", "content": "How is the weather in Lisbon?"}],
    )
    expect("sunny" in runner.until_done().content[0].text, "the result did not come back")


def threads():
    """A thread is served, or refused so that the SDK can resend everything; never lost in silence."""
    try:
        first = client.beta.messages.create(
            model=MODEL,
            max_tokens=1000,
            messages=[{"role": "user", "content": "say: hello"}],
            betas=["message-threads-2026-08-12"],
            extra_body={"thread": {"type": "create"}},
        )
    except anthropic.BadRequestError as error:
        details = error.body["error"].get("details") or {}
        expect(details.get("error_code") == "thread_unsupported_request", error.body)
        return
    expect(first.model_dump().get("thread"), "the thread was ignored")


def structured_output():
    reply = client.messages.parse(
        model=MODEL,
        max_tokens=1000,
        messages=[{"role": "user", "content": "A city"}],
        output_format=City,
    )
    expect(isinstance(reply.parsed_output, City), reply)


def image():
    source = {"type": "base64", "media_type": "image/png", "data": PNG}
    reply = ask([{"type": "image", "source": source}, {"type": "text", "text": "What is this?"}])
    expect("1 image" in reply.content[0].text, reply)


def count_tokens():
    counted = client.messages.count_tokens(model=MODEL, messages=[{"role": "user", "content": "Hello"}])
    expect(counted.input_tokens > 0, counted)


def errors():
    hello = [{"role": "user", "content": "Hi"}]
    for call, expected in [
        (lambda: client.messages.create(model="nobody", max_tokens=10, messages=hello), anthropic.NotFoundError),
        (lambda: client.messages.create(model=MODEL, max_tokens=10, messages=[]), anthropic.BadRequestError),
        (lambda: Anthropic(api_key="sk-wrong", base_url=BASE_URL, max_retries=0).models.list(), anthropic.AuthenticationError),
    ]:
        try:
            call()
        except expected:
            continue
        raise AssertionError(f"no {expected.__name__}")


run([chat, stream, tools, tool_runner, threads, structured_output, image, count_tokens, errors])

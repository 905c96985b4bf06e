export interface Snippet {
  readonly title: string
  readonly text: string
}

/** Lines to paste. `root`: the proxy's address; `app` and `gateway` may be `''`: then they are left out. */
export function snippetsFor(root: string, app: string, gateway: string, model: string): Snippet[] {
  const prefix = (name: string): string =>
    [root, name && `@${encodeURIComponent(name)}`, gateway].filter(Boolean).join('/')
  const base = `${prefix(app)}/v1`
  const tool = (name: string): string => prefix(name)
  return [
    { title: 'base_url', text: base },
    {
      title: 'Python',
      text: `from openai import OpenAI

client = OpenAI(base_url="${base}")
stream = client.chat.completions.create(
    model=${JSON.stringify(model)},
    messages=[{"role": "user", "content": "Why do rivers meander?"}],
    stream=True,
    stream_options={"include_usage": True},
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)`,
    },
    {
      title: 'TypeScript',
      text: `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${base}' })
const stream = await client.chat.completions.create({
  model: ${JSON.stringify(model)},
  messages: [{ role: 'user', content: 'Why do rivers meander?' }],
  stream: true,
  stream_options: { include_usage: true },
})
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '')`,
    },
    {
      title: 'curl',
      text: `curl -N ${base}/chat/completions \\
  -H "Authorization: Bearer $OPENAI_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{
    "model": ${shellSafe(JSON.stringify(model))},
    "messages": [{ "role": "user", "content": "Why do rivers meander?" }],
    "stream": true,
    "stream_options": { "include_usage": true }
  }'`,
    },
    {
      title: 'Coding agents',
      text: `# programs with an OpenAI SDK, Qwen Code
export OPENAI_BASE_URL=${base}
# Claude Code (the gateway must offer Messages)
export ANTHROPIC_BASE_URL=${tool('claude-code')}
# aider
export OPENAI_API_BASE=${tool('aider')}/v1
# goose
export OPENAI_HOST=${root}
export OPENAI_BASE_PATH=${[`@goose`, gateway].filter(Boolean).join('/')}/v1/chat/completions`,
    },
    {
      title: 'Codex',
      text: `# ~/.codex/config.toml
model_provider = "streamgauge"

[model_providers.streamgauge]
name = "through Streamgauge"
base_url = "${tool('codex')}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"`,
    },
  ]
}

/** Inside single quotes of a shell: a model's name comes from outside, and what stands here is pasted. */
const shellSafe = (text: string): string => text.replaceAll("'", "'\\''")

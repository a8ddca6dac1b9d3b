"""The plugin through which OpenCode calls hookline: JavaScript without dependencies.

OpenCode calls functions of plugins without a time limit, and reports what they throw as its own failure. The
plugin throws only the block of a hook, and limits the time of each call.
"""

PLUGIN = r"""// Written by hookline; `hookline upgrade` rewrites it, `hookline uninstall` removes it.
// It passes OpenCode's plugin calls to `hookline hook opencode` and applies the answers.
// It throws only the block of a hook, even if hookline itself fails.
import { spawn } from "node:child_process"

const COMMAND = @COMMAND@
const GUARDS = @GUARDS@
const SECONDS = @SECONDS@
const WINDOWS = process.platform === "win32"
const AT_ONCE = ["session.created", "permission.asked"]
const FAREWELL = 10 // seconds: OpenCode and its user wait for this when it ends
const MODE = process.argv[2]
const SCREEN = !["run", "serve", "web", "acp", "github"].includes(MODE)
const CLAIMS = (globalThis[Symbol.for("hookline")] ??= new Map())

class Blocked extends Error {}

function started(moment, payload, cwd) {
  return new Promise((done) => {
    const [seconds, test] = [SECONDS[moment] ?? 60, GUARDS[moment] ?? ""]
    const child = spawn(WINDOWS ? COMMAND : `${test}exec ${COMMAND}`, { shell: true, cwd, windowsHide: true })
    const heard = { out: "", err: "" }
    const end = (answer) => (clearTimeout(limit), done(answer))
    const limit = setTimeout(() => {
      child.kill()
      setTimeout(() => child.kill("SIGKILL"), 1000).unref?.()
      end({ broken: `timed out after ${seconds} s` })
    }, seconds * 1000)
    child.on("error", (error) => end({ broken: `could not be started: ${error.message}` }))
    child.on("close", (code) => end(read(code, heard)))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (data) => (heard.out += data))
    child.stderr.on("data", (data) => (heard.err += data))
    child.stdin.end(JSON.stringify(payload))
  })
}

function read(code, { out, err }) {
  const more = err.trim().slice(0, 300)
  if (code === 2) return { deny: more || "hookline blocked this call" }
  if (code !== 0) return { broken: `exited with status ${code}${more && ": " + more}` }
  try {
    const answer = out.trim() ? JSON.parse(out) : {}
    if (typeof answer !== "object" || answer === null || Array.isArray(answer)) throw new Error()
    return more ? { ...answer, warnings: [...(answer.warnings ?? []), more] } : answer
  } catch {
    return { broken: `printed an invalid answer: ${out.trim().slice(0, 80)}` }
  }
}

const textOf = (output) =>
  typeof output.output === "string"
    ? output.output
    : (output.content ?? []).filter((part) => part.type === "text").map((part) => part.text).join("\n")

// A failed command is reported only by its exit code, a failed tool of an MCP server by a flag.
function errorOf(output) {
  if (output.metadata?.exit) return `exit code ${output.metadata.exit}`
  return output.isError ? textOf(output) || "it failed" : ""
}

function setText(output, text) {
  if (typeof output.output === "string") {
    output.output = text
    const shown = output.metadata ?? {}
    for (const key of ["output", "preview"]) if (typeof shown[key] === "string") shown[key] = text
    return
  }
  const others = (output.content ??= []).filter((part) => part.type !== "text")
  output.content.splice(0, Infinity, { type: "text", text }, ...others)
}

// Yield the texts of a conversation, and the place of each.
function* texts(messages) {
  for (const { info, parts } of messages)
    for (const part of parts) {
      if (part.type === "text") yield { id: part.id, role: info.role, holder: part, key: "text" }
      const key = { completed: "output", error: "error" }[part.type === "tool" ? part.state?.status : ""]
      if (key) yield { id: part.id, role: "tool", holder: part.state, key }
    }
}

export const Hookline = async ({ client, directory }) => {
  // The user's plugin and the repository's may both be loaded: only the first one answers.
  if ((CLAIMS.get(directory) ?? import.meta.url) !== import.meta.url) return {}
  CLAIMS.set(directory, import.meta.url)

  const sessions = new Map()
  const pending = new Set()
  let latest = Promise.resolve()
  const complained = new Set()
  const answered = new Set() // calls and permissions that were already answered

  const session = (id) => {
    const fresh = { id, parent: "", agent: "", last: "", standing: [], once: [], changes: new Map() }
    if (!sessions.has(id)) sessions.set(id, fresh)
    return sessions.get(id)
  }

  const root = (one) => (one.parent ? root(session(one.parent)) : one)

  async function say(text) {
    const toast = { title: "hookline", message: text, variant: "warning" }
    if (SCREEN) await client.tui.showToast({ body: toast }).catch(() => {})
    else console.error(`hookline: ${text}`)
    await client.app.log({ body: { service: "hookline", level: "warn", message: text } }).catch(() => {})
  }

  async function complain(text) {
    if (!complained.has(text)) await say(text, complained.add(text))
  }

  async function ask(moment, one, more = {}) {
    const helper = one.parent ? { helper: one.id, helperType: one.agent } : {}
    const payload = { hook: moment, session: root(one).id, directory, ...helper, ...more }
    const answer = await started(moment, payload, directory)
    if (answer.broken) {
      await complain(`hookline ${answer.broken}; no hook judged this`)
      return {}
    }
    for (const text of answer.warnings ?? []) await say(text)
    return answer
  }

  // The start is reported once, before anything that depends on it.
  const begin = (one, source) => {
    const moment = one.parent ? "child.session.created" : "session.created"
    const keep = ({ context }) => context && one.standing.push(context)
    return (one.begun ??= ask(moment, one, { source }).then(keep))
  }

  async function stop(one) {
    if (!one.open) return // an error is reported as two ends
    one.open = false
    if (one.parent) return ask("child.session.idle", one, { again: false, last: one.last })
    const answer = await ask("session.idle", one, { again: Boolean(one.again), last: one.last })
    one.again = answer.deny !== undefined && MODE !== "run"
    if (answer.deny === undefined) return
    if (MODE === "run") return say(`opencode run ends although a hook asked to continue: ${answer.deny}`)
    one.ours = true
    const body = { parts: [{ type: "text", text: answer.deny }], ...(one.agent && { agent: one.agent }) }
    await client.session.promptAsync({ path: { id: one.id }, body })
  }

  async function permit(one, { id, permission, patterns, metadata, tool }) {
    if (answered.has(id)) return {}
    answered.add(id)
    const path = metadata?.filepath ?? metadata?.filePath
    const args = { ...(path && { filePath: path }), ...metadata, patterns }
    const answer = await ask("permission.asked", one, { tool: permission, args, call: tool?.callID ?? "" })
    if (answer.deny) one.once.push(answer.deny)
    return answer
  }

  const events = {
    "session.created": async ({ info }) => {
      Object.assign(session(info.id), { parent: info.parentID ?? "", agent: info.agent ?? "" })
      await begin(session(info.id), "startup")
    },
    "session.idle": async ({ sessionID }) => stop(session(sessionID)),
    "session.compacted": async ({ sessionID }) => ask("session.compacted", session(sessionID)),
    "session.error": async ({ sessionID, error }) => {
      const text = [error?.name, error?.data?.message ?? error?.message].filter(Boolean).join(": ")
      if (sessionID) await ask("session.error", session(sessionID), { error: text || "unknown" })
    },
    "session.deleted": async ({ info }) => {
      const one = session(info.id)
      if (one.begun && !one.parent) await ask("dispose", one, { reason: "deleted" })
      sessions.delete(info.id)
    },
    "message.updated": async ({ info }) => {
      if (info.role !== "assistant" || !info.time?.completed || answered.has(info.id)) return
      answered.add(info.id)
      const more = { model: `${info.providerID}/${info.modelID}`, usage: { ...info.tokens, cost: info.cost } }
      await ask("message.updated", session(info.sessionID), more)
    },
    "message.part.updated": async ({ part }) => {
      // A tool that throws has no `tool.execute.after`.
      if (part.type !== "tool" || part.state?.status !== "error" || answered.has(part.callID)) return
      answered.add(part.callID)
      const more = { tool: part.tool, args: part.state.input, call: part.callID, error: part.state.error }
      await ask("message.part.updated", session(part.sessionID), more)
    },
    "permission.asked": async (asked) => {
      const answer = await permit(session(asked.sessionID), asked)
      const response = answer.deny ? "reject" : answer.allow ? "once" : ""
      const path = { id: asked.sessionID, permissionID: asked.id }
      if (response) await client.postSessionIdPermissionsPermissionId({ path, body: { response } })
    },
  }

  const hooks = {
    event: ({ event }) => {
      const handle = events[event.type]
      if (!handle) return
      const before = AT_ONCE.includes(event.type) ? undefined : latest
      const work = Promise.resolve(before).then(() => handle(event.properties))
      if (before) latest = work.catch(() => {}) // these events are handled in order
      pending.add(work)
      return work.finally(() => pending.delete(work))
    },
    "chat.message": async (input, { message, parts }) => {
      const one = session(input.sessionID)
      one.open = true
      one.agent ||= message.agent ?? ""
      await begin(one, "resume")
      if (one.parent || one.ours) {
        one.ours = false
        return
      }
      one.again = false
      const said = parts.filter((part) => part.type === "text" && !part.synthetic)
      const answer = await ask("chat.message", one, { prompt: said.map((part) => part.text).join("\n") })
      if (answer.deny !== undefined) {
        await say(answer.deny) // OpenCode itself shows no reason here
        throw new Blocked(answer.deny)
      }
      if (!answer.context) return
      const ids = { id: `${parts[0]?.id ?? "prt_0"}h`, sessionID: message.sessionID, messageID: message.id }
      parts.push({ ...ids, type: "text", text: answer.context, synthetic: true })
    },
    "experimental.chat.messages.transform": async (input, { messages }) => {
      const one = session(messages.at(-1)?.info.sessionID ?? "")
      const known = [...texts(messages)]
      const news = known.filter(({ id, holder, key }) => one.changes.get(id)?.from !== holder[key])
      const sent = news.map(({ role, holder, key }) => ({ role, text: holder[key] }))
      const model = messages.at(-1)?.info.model ?? {}
      const more = { model: `${model.providerID ?? ""}/${model.modelID ?? ""}`, messages: sent }
      const answer = await ask("experimental.chat.messages.transform", one, more)
      news.forEach(({ id, holder, key }, at) =>
        one.changes.set(id, { from: holder[key], to: answer.change?.[at]?.text ?? holder[key] }))
      for (const { id, holder, key } of known) holder[key] = one.changes.get(id).to
      if (answer.context) one.once.push(answer.context)
      one.refused = answer.deny // throwing here would be a failure without a reason
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      if (!sessions.has(sessionID) || /^You are a title generator/.test(system[0] ?? "")) return
      const one = session(sessionID)
      await one.begun
      if (one.refused !== undefined) throw new Blocked(one.refused)
      system.push(...one.standing, ...one.once.splice(0))
    },
    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      const answer = await ask("tool.execute.before", session(sessionID), { tool, args, call: callID })
      if (answer.deny !== undefined) {
        answered.add(callID)
        if (answer.end) await client.session.abort({ path: { id: sessionID } })
        throw new Blocked(answer.deny)
      }
      if (!answer.change) return
      // In place: a new object would be ignored.
      for (const key of Object.keys(args)) if (!(key in answer.change)) delete args[key]
      Object.assign(args, answer.change)
    },
    "tool.execute.after": async ({ tool, sessionID, callID, args }, output) => {
      answered.add(callID)
      const more = { tool, args, call: callID, output: textOf(output), error: errorOf(output) }
      const answer = await ask("tool.execute.after", session(sessionID), more)
      if (typeof answer.change === "string") setText(output, answer.change)
      if (answer.context) setText(output, `${textOf(output)}\n${answer.context}`)
    },
    "experimental.text.complete": async ({ sessionID }, { text }) => {
      session(sessionID).last = text
    },
    "experimental.session.compacting": async ({ sessionID }, output) => {
      const answer = await ask("experimental.session.compacting", session(sessionID))
      if (answer.context) output.context.push(answer.context)
    },
    "permission.ask": async (asked, output) => {
      const permission = asked.permission ?? asked.type
      const answer = await permit(session(asked.sessionID), { ...asked, permission })
      if (answer.deny || answer.allow) output.status = answer.deny ? "deny" : "allow"
    },
    dispose: async () => {
      const ends = async () => {
        await Promise.allSettled([...pending])
        const open = [...sessions.values()].filter((one) => one.begun && !one.parent)
        await Promise.allSettled(open.map((one) => ask("dispose", one, { reason: "closed" })))
      }
      await Promise.race([ends(), new Promise((done) => setTimeout(done, FAREWELL * 1000))])
    },
  }

  const safe = (name, hook) => async (...given) => {
    try {
      return await hook(...given)
    } catch (error) {
      if (error instanceof Blocked) throw error
      await complain(`the plugin failed at ${name}: ${error?.message}`).catch(() => {})
    }
  }
  return Object.fromEntries(Object.entries(hooks).map(([name, hook]) => [name, safe(name, hook)]))
}
"""

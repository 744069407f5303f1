// Script of the page at /docs. Loads the OpenAPI document into RapiDoc, hides deprecated paths, and signs users in
// so that they can try requests.
const isChinese = navigator.language.startsWith('zh')
const $ = (selector) => document.querySelector(selector)
const api = $('#api')
const dark = matchMedia('(prefers-color-scheme: dark)')

function paint() {
  const colors = dark.matches ? ['dark', '#101716', '#16201f'] : ['light', '#ffffff', '#f5f8f7']
  for (const [place, name] of ['theme', 'bg-color', 'nav-bg-color'].entries())
    api.setAttribute(name, colors[place])
  api.setAttribute('primary-color', dark.matches ? '#5fd0c0' : '#1d6f66')
}
if (isChinese)
  for (const element of document.querySelectorAll('[data-zh]')) element.textContent = element.dataset.zh
paint()
dark.addEventListener('change', paint)

/** Removes the alias paths, and lists them in the description of their canonical operation. */
function fold(document) {
  const older = new Map()
  const paths = {}
  for (const [path, operations] of Object.entries(document.paths)) {
    const kept = Object.entries(operations).filter(([verb, operation]) => {
      const plain = operation['x-alias-of']
      if (plain) older.set(plain, [...(older.get(plain) ?? []), `\`${verb.toUpperCase()} ${path}\``])
      return !plain
    })
    if (kept.length > 0) paths[path] = Object.fromEntries(kept)
  }
  for (const operations of Object.values(paths))
    for (const operation of Object.values(operations)) {
      const names = older.get(operation.operationId)
      if (!names) continue
      const text = `${isChinese ? '旧路径，供现有客户端使用：' : 'Older paths, for existing clients:'} ${names.join(', ')}`
      operation.description = [operation.description, text].filter(Boolean).join('\n\n')
    }
  return { ...document, paths }
}

/**
 * Removes the examples of schemas and the bodies of errors, because RapiDoc takes seconds to render them.
 * Operations have examples of their own, and error bodies hardly differ.
 */
function lighten({ paths, components }) {
  for (const schema of Object.values(components.schemas)) delete schema.examples
  const operations = Object.values(paths).flatMap((each) => Object.values(each))
  const replies = operations.flatMap(({ responses }) => Object.entries(responses))
  for (const [status, reply] of [...replies, ...Object.entries(components.responses)])
    if (!status.startsWith('2')) {
      delete reply.content
      delete reply.headers
    }
}

let text = ''
async function load() {
  text ||= await (await fetch('/api/v2/openapi.json')).text()
  const whole = JSON.parse(text)
  lighten(whole)
  await customElements.whenDefined('rapi-doc')
  api.loadSpec($('#older').checked ? whole : fold(whole))
}

let token = null
const dialog = $('#dialog')
const form = dialog.querySelector('form')
const fields = form.elements

/** Passes the token to RapiDoc. Runs again after each load of a document, because RapiDoc then discards the token. */
const authorize = () => (token ? api.setApiKey('bearer', token) : api.removeAllSecurityKeys())
api.addEventListener('spec-loaded', () => token && authorize())

function use(next) {
  token = next
  authorize()
  $('#sign-in').hidden = token !== null
  $('#sign-out').hidden = token === null
}

$('#sign-in').addEventListener('click', () => dialog.showModal())
$('#cancel').addEventListener('click', () => dialog.close())
$('#sign-out').addEventListener('click', () => {
  void fetch('/api/v2/auth/logout', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
  })
  use(null)
})
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const factor = fields.second_factor.value
  const response = await fetch('/api/v2/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'accept-language': isChinese ? 'zh' : 'en' },
    body: JSON.stringify({
      login: fields.login.value,
      password: fields.password.value,
      ...(factor ? { second_factor: factor } : {}),
    }),
  })
  const body = await response.json()
  if (!response.ok) {
    if (response.headers.get('x-error-code') === 'second_factor_required') $('#factor').hidden = false
    $('#fault').textContent = Object.values(body.errors ?? {}).flat()[0] ?? body.message
    return
  }
  use(body.access_token)
  $('#fault').textContent = ''
  form.reset()
  dialog.close()
})

const menu = $('#menu')
const open = (isOpen) => {
  api.classList.toggle('open', isOpen)
  menu.setAttribute('aria-expanded', String(isOpen))
}
menu.addEventListener('click', () => open(!api.classList.contains('open')))
addEventListener('hashchange', () => open(false))
addEventListener('keydown', ({ key }) => key === 'Escape' && open(false))
$('#older').addEventListener('change', load)
await load()

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Deployment } from 'kubernetes-models/apps/v1'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2'
import { Job } from 'kubernetes-models/batch/v1'
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { Secret, Service } from 'kubernetes-models/v1'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig } from '#platform/config'

const FOLDER = fileURLToPath(new URL('../deploy/kubernetes/', import.meta.url))
const secrets = mkdtempSync(join(tmpdir(), 'kith-kubernetes-'))
after(() => rmSync(secrets, { recursive: true, force: true }))

type Container = {
  command: string[]
  env: { name: string; value: string }[]
  envFrom: { configMapRef: { name: string } }[]
  ports?: { name: string; containerPort: number }[]
  resources: { requests: object; limits: object }
  securityContext: object
  volumeMounts: { name: string; mountPath: string }[]
  startupProbe?: object
  readinessProbe?: object
  livenessProbe?: object
  lifecycle?: { preStop: { exec: { command: string[] } } }
}
type PodSpec = {
  containers: Container[]
  securityContext: { runAsNonRoot: boolean; runAsUser: number }
  terminationGracePeriodSeconds: number
  volumes: { name: string }[]
}
type Manifest = {
  kind: string
  metadata: { name: string; annotations?: Record<string, string> }
  // biome-ignore lint/suspicious/noExplicitAny: the Kubernetes schemas validate each spec
  spec: any
  stringData?: Record<string, string>
}
const MODELS = { Deployment, HorizontalPodAutoscaler, Ingress, Job, PodDisruptionBudget, Secret, Service }
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8')
const manifestsOf = (name: string) =>
  parseAllDocuments(read(name)).map((document) => document.toJS() as Manifest)
const kustomization = parse(read('kustomization.yaml')) as {
  resources: string[]
  configMapGenerator: { name: string; envs: string[] }[]
  images: { name: string }[]
}
const manifests = [...kustomization.resources, 'secrets.example.yaml'].flatMap(manifestsOf)
const workloads = manifests.filter(({ spec }) => spec?.template !== undefined)
const podOf = ({ spec }: Manifest) => spec.template.spec as PodSpec
const containerOf = (manifest: Manifest) => podOf(manifest).containers[0] as Container
const find = (kind: string, name: string) => {
  const found = manifests.find((each) => each.kind === kind && each.metadata.name === name)
  assert.ok(found, `there is no ${kind} ${name}`)
  return found
}
const settings = Object.fromEntries(
  read('settings.env')
    .split('\n')
    .filter(Boolean)
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
)

function faultsOf(manifest: Manifest): string {
  const Model = MODELS[manifest.kind as keyof typeof MODELS]
  try {
    new Model(manifest as never).validate()
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

test('validates each manifest against the Kubernetes schemas', () => {
  assert.deepEqual(manifests.map(({ kind }) => kind).sort(), [
    ...['Deployment', 'Deployment', 'HorizontalPodAutoscaler', 'Ingress', 'Job'],
    ...['PodDisruptionBudget', 'Secret', 'Service'],
  ])
  for (const manifest of manifests) assert.equal(faultsOf(manifest), '', manifest.metadata.name)
  const broken = structuredClone(find('Deployment', 'kith-server'))
  containerOf(broken).ports = [{ name: 'http', containerPort: 'eighty' as never }]
  assert.match(faultsOf(broken), /containerPort/)
})

test('lists every manifest and settings file in the kustomization', () => {
  const named = [...kustomization.resources, ...kustomization.configMapGenerator.flatMap(({ envs }) => envs)]
  const examples = ['autoscaling-signals.example.yaml', 'kustomization.yaml', 'secrets.example.yaml']
  assert.deepEqual(readdirSync(FOLDER).sort(), [...named, ...examples].sort())
})

test('sets only known environment variables in the manifests', () => {
  const known = new Set<string>()
  const recorder = new Proxy<Record<string, string>>({}, { get: (_, name: string) => void known.add(name) })
  readConfig(recorder)
  const values: Record<string, string> = {
    'app-secret': 'a secret of the site',
    'database-url': 'postgres://kith:word@db/kith',
    'redis-url': 'redis://redis',
    'smtp-url': 'smtp://mail',
  }
  const keys = Object.keys(find('Secret', 'kith-secrets').stringData ?? {})
  for (const key of keys) writeFileSync(join(secrets, key), values[key] ?? 'something long')
  for (const workload of workloads) {
    const { env, envFrom } = containerOf(workload)
    assert.deepEqual(
      envFrom.map(({ configMapRef }) => configMapRef.name),
      kustomization.configMapGenerator.map(({ name }) => name),
    )
    for (const name of [...Object.keys(settings), ...env.map((each) => each.name)])
      assert.ok(known.has(name), `${name} is no setting`)
    const files = env.map(({ name, value }) => {
      const [, key = ''] = /^\/run\/secrets\/kith\/(.+)$/.exec(value) ?? []
      assert.ok(keys.includes(key), `secrets.example.yaml has no ${key}`)
      return [name, join(secrets, key)]
    })
    const config = readConfig({ ...settings, ...Object.fromEntries(files) })
    assert.equal(config.storage, 's3')
    assert.equal(config.redisUrl, 'redis://redis')
    assert.deepEqual([config.migrates, config.worker], [false, 'separate'])
  }
})

test('runs each container unprivileged on a read-only root file system', () => {
  assert.equal(workloads.length, 3)
  for (const workload of workloads) {
    const pod = podOf(workload)
    assert.deepEqual([pod.securityContext.runAsNonRoot, pod.securityContext.runAsUser], [true, 10001])
    const container = containerOf(workload)
    assert.deepEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    assert.ok(container.resources.requests && container.resources.limits)
    assert.deepEqual(
      container.volumeMounts.map(({ name }) => name),
      pod.volumes.map(({ name }) => name),
    )
    const paths = container.volumeMounts.map(({ mountPath }) => mountPath)
    for (const path of ['/tmp', '/var/lib/kith', '/var/cache/kith']) assert.ok(paths.includes(path), path)
  }
})

test('gives pods enough time to drain before they stop', () => {
  const server = find('Deployment', 'kith-server')
  const { lifecycle, startupProbe, livenessProbe, readinessProbe } = containerOf(server)
  const notice = Number(settings.DRAIN_NOTICE_MS) / 1000
  const beforeStop = Number(lifecycle?.preStop.exec.command[1])
  assert.ok(podOf(server).terminationGracePeriodSeconds >= beforeStop + notice + 12 + 20)
  assert.ok(startupProbe && livenessProbe)
  const { httpGet, periodSeconds, failureThreshold } = readinessProbe as {
    httpGet: { path: string }
    periodSeconds: number
    failureThreshold: number
  }
  assert.equal(httpGet.path, '/health/ready')
  assert.ok(periodSeconds * failureThreshold < notice, 'the pod stops before it is seen to be not ready')
})

test('stops the only worker before starting its replacement', () => {
  const worker = find('Deployment', 'kith-worker')
  assert.deepEqual([worker.spec.replicas, worker.spec.strategy.type], [1, 'Recreate'])
  assert.ok(containerOf(worker).livenessProbe)
})

test('targets the server in the service, the disruption budget and the autoscaler', () => {
  const server = find('Deployment', 'kith-server')
  const { labels } = server.spec.template.metadata
  assert.deepEqual(find('Service', 'kith').spec.selector, labels)
  assert.deepEqual(find('PodDisruptionBudget', 'kith-server').spec.selector.matchLabels, labels)
  assert.equal(find('HorizontalPodAutoscaler', 'kith-server').spec.scaleTargetRef.name, 'kith-server')
  assert.equal(server.spec.replicas, undefined)
  const [port] = find('Service', 'kith').spec.ports
  assert.ok(containerOf(server).ports?.some(({ name }) => name === port.targetPort))
  assert.equal(find('Service', 'kith').spec.ports.length, 1, 'metrics are on no service')
})

test('disables proxy buffering in the ingress', () => {
  const { annotations = {} } = find('Ingress', 'kith').metadata
  assert.equal(annotations['nginx.ingress.kubernetes.io/proxy-buffering'], 'off')
})

test('queries only exported metrics in the prometheus-adapter example', () => {
  const { rules, metrics } = parse(read('autoscaling-signals.example.yaml')) as {
    rules: { seriesQuery: string; name: { as: string } }[]
    metrics: { pods: { metric: { name: string } } }[]
  }
  const source = readFileSync(
    fileURLToPath(new URL('../src/platform/observability/metrics.ts', import.meta.url)),
    'utf8',
  )
  for (const { seriesQuery } of rules)
    assert.ok(source.includes(`name: '${seriesQuery.split('{')[0]}'`), seriesQuery)
  assert.deepEqual(
    metrics.map(({ pods }) => pods.metric.name),
    rules.map(({ name }) => name.as),
  )
  const hpa = structuredClone(find('HorizontalPodAutoscaler', 'kith-server'))
  hpa.spec.metrics.push(...metrics)
  assert.equal(faultsOf(hpa), '')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql, work } = world

type Found = { user_id: number; _distance: string; _location: string; _name: string; _id: string }

/**
 * Number of regions used so far. Each test has its own region, so that tests do not find each other's users.
 */
let regions = 0
const somewhere = () => {
  regions += 1
  return { latitude: 10 + regions, longitude: 20 + regions }
}
const put = (who: Person, latitude: number, longitude: number) =>
  as(who, 'POST', '/around-amap', { latitude, longitude })
const around = async (who: Person, at: object, more = ''): Promise<Found[]> => {
  const query = new URLSearchParams(Object.entries(at).map(([name, value]) => [name, String(value)]))
  const { status, body } = await as(who, 'GET', `/around-amap?${query}${more}`)
  assert.equal(status, 200)
  return body
}

test('stores, replaces and deletes the rounded location of a user (nearby-1)', async () => {
  const [ann, bob] = [await person(), await person()]
  const at = somewhere()
  const made = await as(ann, 'POST', '/around-amap', {
    latitude: `${at.latitude}.1234567`,
    longitude: `${at.longitude}.7654321`,
  })
  assert.deepEqual(
    [made.status, made.body._id, made.body.message],
    [201, String(ann.id), 'Your location was stored.'],
  )
  const here = { latitude: at.latitude + 0.123, longitude: at.longitude + 0.765 }
  const [found] = await around(bob, here)
  assert.equal(found?._location, `${here.longitude},${here.latitude}`)
  await put(ann, at.latitude, at.longitude)
  assert.deepEqual(await around(bob, here), [])
  assert.deepEqual(
    (await around(bob, at)).map((each) => each.user_id),
    [ann.id],
  )
  const [cid, elsewhere] = [await person(), somewhere()]
  await put(cid, elsewhere.latitude, elsewhere.longitude)
  for (let n = 0; n < 2; n += 1) assert.equal((await as(ann, 'DELETE', '/around-amap')).status, 204)
  assert.deepEqual(await around(bob, at), [])
  assert.deepEqual(
    (await around(bob, elsewhere)).map((each) => each.user_id),
    [cid.id],
  )
})

test('lists users within a radius, nearest first (nearby-2)', async () => {
  const me = await person()
  const at = somewhere()
  const people: Person[] = []
  for (let n = 0; n < 7; n += 1) people.push(await person())
  // 0.01 degrees of latitude are 1112 meters.
  for (const [n, each] of people.entries()) await put(each, at.latitude + n * 0.01, at.longitude)
  await put(me, at.latitude, at.longitude)
  const ids = people.map(({ id }) => id)
  assert.deepEqual(
    (await around(me, at)).map((each) => each.user_id),
    ids.slice(0, 3),
  )
  const all = await around(me, at, '&radius=50000')
  assert.deepEqual(
    all.map((each) => each.user_id),
    ids,
  )
  assert.deepEqual(
    all.slice(0, 3).map((each) => Number(each._distance)),
    [0, 1112, 2224],
  )
  assert.deepEqual([all[0]?._name, all[0]?._id], [people[0]?.name, String(ids[0])])
  const pages: number[] = []
  for (const page of [1, 2, 3, 4])
    for (const each of await around(me, at, `&radius=50000&limit=3&page=${page}`)) pages.push(each.user_id)
  assert.deepEqual(pages, ids)
  assert.deepEqual(await around(me, at, '&radius=50000&limit=100&page=101'), [])
})

test('finds users across the date line (nearby-2)', async () => {
  const me = await person()
  const [east, west] = [await person(), await person()]
  await put(east, -40, 179.999)
  await put(west, -40, -179.995)
  const found = await around(me, { latitude: -40, longitude: 180 })
  assert.deepEqual(
    found.map((each) => each.user_id),
    [east.id, west.id],
  )
  const fromWest = await around(me, { latitude: -40, longitude: -180 })
  assert.deepEqual(fromWest.map((each) => each.user_id).sort(), [east.id, west.id].sort())
  const north = await person()
  await put(north, 89.9, 0)
  assert.equal((await as(me, 'GET', '/around-amap?latitude=90&longitude=100')).status, 200)
})

test('omits blocked and disabled users from the list of nearby users (nearby-3)', async () => {
  assert.equal((await guest('GET', '/around-amap?latitude=1&longitude=1')).status, 401)
  const [me, blocked, blocking, closed, other] = await Promise.all([1, 2, 3, 4, 5].map(() => person()))
  const at = somewhere()
  for (const each of [me, blocked, blocking, closed, other]) await put(each!, at.latitude, at.longitude)
  await as(me!, 'POST', `/user/black/${blocked!.id}`)
  await as(blocking!, 'POST', `/user/black/${me!.id}`)
  await sql`update users set deleted_at = now() where id = ${closed!.id}`
  assert.deepEqual(
    (await around(me!, at)).map((each) => each.user_id),
    [other!.id],
  )
})

test('hides and deletes locations older than 30 days (nearby-1)', async () => {
  const [me, gone] = [await person(), await person()]
  const at = somewhere()
  await put(gone, at.latitude, at.longitude)
  await sql`update user_places set updated_at = now() - interval '31 days' where user_id = ${gone.id}`
  assert.deepEqual(await around(me, at), [])
  await sql`select graphile_worker.add_job('tidy_places')`
  await work()
  const kept = await sql`select user_id from user_places where user_id = ${gone.id}`
  assert.equal(kept.length, 0)
})

test('rejects invalid locations (nearby-1, nearby-2)', async () => {
  const me = await person()
  for (const body of [{}, { latitude: 91, longitude: 0 }, { latitude: 0, longitude: 'x' }, { latitude: 1 }])
    assert.equal((await as(me, 'POST', '/around-amap', body)).status, 422)
  for (const query of ['', 'latitude=1', 'latitude=1&longitude=181', 'latitude=1&longitude=1&radius=50001'])
    assert.equal((await as(me, 'GET', `/around-amap?${query}`)).status, 422, query)
})

test('finds an address by the names of areas with coordinates (nearby-4)', async () => {
  const [founder, me] = [await person({ roles: ['founder'] }), await person()]
  const area = async (body: object) => {
    const made = await as(founder, 'POST', '/admin/areas', body)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return made.body.id as number
  }
  const find = (address: string) => as(me, 'GET', `/around-amap/geo?address=${encodeURIComponent(address)}`)
  const country = await area({ name: '中国', extends: '3' })
  const province = await area({ name: '四川省', pid: country })
  const city = await area({ name: '成都市', pid: province, longitude: 104.06, latitude: 30.67 })
  const other = await area({ name: '北京市', pid: country })
  // Two districts have this name, so the rest of the address selects one of them.
  await area({ name: '城区', pid: await area({ name: '海淀', pid: other }), longitude: 116, latitude: 40 })
  await area({ name: '城区', pid: city, longitude: 104.1, latitude: 30.7 })
  const found = await find('四川省成都市人民南路')
  assert.deepEqual([found.status, found.body.status, found.body.count], [200, '1', '1'])
  assert.deepEqual(found.body.geocodes, [
    {
      formatted_address: '四川省成都市',
      province: '四川省',
      city: '成都市',
      district: '',
      location: '104.06,30.67',
      level: '市',
    },
  ])
  assert.equal((await find('成都市城区1号')).body.geocodes[0].location, '104.1,30.7')
  for (const address of ['四川省', '上海', '%'])
    assert.equal((await find(address)).headers['x-error-code'], 'address_unknown', address)
  assert.equal((await find('')).status, 422)
  const half = await as(founder, 'PATCH', `/admin/areas/${province}`, { longitude: 1 })
  assert.deepEqual(Object.keys(half.body.errors), ['longitude'])
  assert.equal((await as(founder, 'PATCH', `/admin/areas/${city}`, { name: '蓉城' })).status, 204)
  assert.equal((await find('蓉城')).body.geocodes[0].location, '104.06,30.67')
  const away = { longitude: null, latitude: null }
  assert.equal((await as(founder, 'PATCH', `/admin/areas/${city}`, away)).status, 204)
  assert.equal((await find('蓉城')).status, 404)
})

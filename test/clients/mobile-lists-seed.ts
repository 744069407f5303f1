import { createHash } from 'node:crypto'
import { callerOf } from '#test/clients/mobile-seed.ts'
import type { Seed } from '#test/clients/seed.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { createCategory, newsEditor, setSettings } from '#test/fixtures/news.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { createSong, createSpecial, musicEditor } from '#test/fixtures/songs.ts'
import { newPicture, upload, uploadPicture } from '#test/fixtures/uploads.ts'
import type { World } from '#test/world.ts'

type Place = { group: number; post: number; answer: number; paidSong: number; film: number }
type Scene = Seed & Place & { world: World; call: ReturnType<typeof callerOf> }

export async function seedMobileLists(world: World, seed: Seed, place: Place) {
  const scene = { ...seed, ...place, world, call: callerOf(world) }
  return {
    ...(await seedPeople(scene)),
    ...(await seedMoney(scene)),
    ...(await seedMusic(scene)),
    ...(await seedNewsAndFeeds(scene)),
    ...(await seedQuestions(scene)),
    ...(await seedGroups(scene)),
  }
}

async function seedPeople({ world, reader, writer, call }: Scene) {
  const founder = await world.person({ roles: ['founder'] })
  await call(reader, 'PUT', `/user/followings/${writer.id}`)
  await call(reader, 'POST', `/user/black/${(await world.person()).id}`)
  await call(founder, 'PUT', `/admin/user-recommends/${writer.id}`)
  const { body: tags } = await world.as(reader, 'GET', '/user/tags')
  await call(writer, 'PUT', `/user/tags/${tags[0].id}`)
  let pid = 0
  for (const name of ['China', 'Hubei', 'Wuhan'])
    pid = (await call(founder, 'POST', '/admin/areas', { name, extends: 'x', pid })).id
  await setSettings(world, { 'locations:hots': ['China Hubei Wuhan'] })
  const picture = await newPicture()
  await upload(world, reader, picture)
  const { im_group_id } = await call(reader, 'POST', '/im/group', { groupname: 'Walkers', desc: 'We walk' })
  return {
    md5: createHash('md5').update(picture).digest('hex'),
    returning: await world.person(),
    leaving: await world.person(),
    sharedTag: tags[0].id as number,
    imGroup: im_group_id as string,
  }
}

async function seedMoney({ world, reader, call }: Scene) {
  const founder = await world.person({ roles: ['founder'] })
  await call(founder, 'POST', `/admin/users/${reader.id}/wallet`, { amount: 1000, reason: 'test' })
  await call(reader, 'POST', '/plus-pay/cashes', { value: 100, type: 'alipay', account: 'reader' })
  const { body: withdrawals } = await world.as(reader, 'GET', '/plus-pay/cashes')
  const decision = { action: 'accept', remark: 'Paid' }
  await call(founder, 'PATCH', `/admin/withdrawals/${withdrawals[0].id}`, decision)
  const first = async (path: string): Promise<number> => (await world.as(reader, 'GET', path)).body[0].id
  return {
    pointsOrder: await first('/currency/orders'),
    walletOrder: await first('/plus-pay/orders'),
    charge: await first('/wallet/charges'),
  }
}

async function seedMusic({ world, reader, writer, paidSong, values, call }: Scene) {
  const musician = await musicEditor(world)
  const body = { intro: 'Songs', amount: 5, storage: await uploadPicture(world, musician) }
  const album = await createSpecial(world, musician, { songs: [await createSong(world, musician)], body })
  const { body: albums } = await world.as(reader, 'GET', `/music/specials?id=${album}`)
  await call(reader, 'POST', `/currency/purchases/${albums[0].paid_node.node}`)
  const { body: song } = await world.as(reader, 'GET', `/music/${paidSong}`)
  await call(reader, 'POST', `/currency/purchases/${song.storage.paid_node}`)
  await call(reader, 'POST', `/music/specials/${album}/collection`)
  const comment = { body: 'A comment', reply_user: reader.id }
  await call(writer, 'POST', `/music/specials/${album}/comments`, comment)
  await call(writer, 'POST', `/music/${values.song}/comments`, comment)
  return { album, albumNode: albums[0].paid_node.node as number }
}

async function seedNewsAndFeeds({ world, reader, film, values, call }: Scene) {
  const founder = await world.person({ roles: ['founder'] })
  await call(reader, 'POST', `/feeds/${film}/collections`)
  await call(reader, 'POST', `/news/${values.news}/collections`)
  await call(founder, 'POST', '/admin/news-pinneds', { news: values.news, day: 3 })
  return { newsCategory: await createCategory(world, await newsEditor(world)) }
}

async function seedQuestions({ world, reader, writer, call }: Scene) {
  const founder = await world.person({ roles: ['founder'] })
  const questions = questionsOf(world)
  const { body: topics } = await world.as(reader, 'GET', '/user/question-topics')
  const about: number = topics[0].id
  await call(founder, 'PUT', `/admin/question-topics/${about}/experts/${writer.id}`)
  const paid = await questions.askForLooks(reader, writer, { topics: [{ id: about }] })
  await questions.answer(writer, paid)
  const watched = await questions.ask(writer, { topics: [{ id: about }] })
  await questions.answer(reader, watched)
  await call(reader, 'PUT', `/user/question-watches/${watched}`)
  await call(reader, 'POST', `/questions/${watched}/comments`, { body: 'A comment' })
  return { about, watched, open: await questions.ask(writer) }
}

async function seedGroups({ world, reader, writer, post, call }: Scene) {
  const founder = await world.person({ roles: ['founder'] })
  const groups = groupMaker(world)
  const paidGroup = await groups.group(reader, { name: 'With a fee', mode: 'paid', money: 10 })
  await groups.join(paidGroup, reader, writer)
  await call(founder, 'POST', '/admin/group-recommends', { group_id: paidGroup })
  await call(reader, 'POST', `/group-posts/${post}/collections`)
  const elsewhere = await groups.group(writer, { name: 'Not joined' })
  await groups.post(writer, elsewhere)
  const { body: shown } = await world.as(reader, 'GET', `/groups/${paidGroup}`)
  return { paidGroup, elsewhere, groupCategory: shown.category_id as number }
}

import type { Scene } from '../pictures/photographs.ts'
import type { Language } from './people.ts'

export type Written = {
  speaks: Language
  category: string
  title: string
  subject: string
  scene: Scene
  content: string
}

export const CATEGORIES = ['城市 City', '户外 Outdoors', '手艺 Craft', '科学 Science'] as const

/** Articles of the editors; the last ones are contributions that wait. */
export const ARTICLES: readonly Written[] = [
  {
    speaks: 'en',
    category: CATEGORIES[0],
    scene: 'city',
    title: 'The bridge that took three winters',
    subject: 'How a city waited for four hundred metres of steel.',
    content:
      '## A river in the way\n\nFor eleven years the ferry was the only way across. It ran every **twenty minutes**, and never when it was foggy.\n\nThe first pillar stood in the second winter. People came to look at it on Sundays, with thermos flasks, as one looks at a horse.\n\n> We did not build it quickly. We built it once.\n\n### What changed\n\n1. The market moved two streets closer to the water.\n2. The ferry became a café.\n3. Nobody speaks of fog any more.\n\nThe lights were switched on at half past six. *Nobody clapped at first*; then everybody did.',
  },
  {
    speaks: 'zh',
    category: CATEGORIES[1],
    scene: 'mountains',
    title: '第一次一个人过夜爬山，我带错了三样东西',
    subject: '帐篷、炉子和自信，至少有一样是多余的。',
    content:
      '## 清单\n\n出发前一天我列了一张清单，写了**四十二项**。回来以后划掉了三十项。\n\n### 带错的东西\n\n- 一口铁锅。它很好，但是它有两公斤。\n- 一本六百页的书。天黑得比我想的早。\n- 新鞋。不用解释。\n\n### 该带没带的\n\n> 头灯的备用电池。\n\n夜里两点，我在月光下系鞋带，忽然明白：*月亮才是山里最好的灯*，可是它不归我管。\n\n下一次，我会少带一半，多走一倍。',
  },
  {
    speaks: 'en',
    category: CATEGORIES[2],
    scene: 'cup',
    title: 'Repair is a kind of conversation',
    subject: 'Notes from a bench with too many screwdrivers.',
    content:
      'Every broken thing tells you what happened, if you let it speak first.\n\n## Listen\n\nA hum is a capacitor. A crackle is a joint. Silence is usually the switch, and **always** check the switch.\n\n## Ask\n\nChange one thing at a time. Write it down, even if you think that you will remember.\n\n## Say thank you\n\n- Clean the case.\n- Put every screw back.\n- Leave the next person a note inside.\n\nI have found three such notes so far. One of them was mine.',
  },
  {
    speaks: 'zh',
    category: CATEGORIES[3],
    scene: 'stars',
    title: '城市里也能看到的十二个天体',
    subject: '不用出城，也不用望远镜。',
    content:
      '## 先等眼睛适应\n\n关灯，等**十五分钟**。大多数人只等了十五秒。\n\n## 从最亮的开始\n\n1. 月亮，挑半圆的那几天，看明暗交界处的山。\n2. 木星，不闪的那一颗。\n3. 金星，常常被当成飞机。\n\n### 冬天的礼物\n\n猎户座的腰带三颗星排成一线，*顺着它往下*，就是天狼星。\n\n> 城市的天不是没有星星，只是我们忘了抬头。',
  },
  {
    speaks: 'en',
    category: CATEGORIES[1],
    scene: 'lake',
    title: 'Six lakes you can reach by train',
    subject: 'No car, no plan, one return ticket.',
    content:
      '## The rules\n\nThe path from the platform to the water takes **less than forty minutes**, and there is a train home after sunset.\n\n| Lake | Walk | Why |\n|---|---|---|\n| The small one | 12 min | A jetty to sit on |\n| The cold one | 25 min | Nobody else |\n| The long one | 38 min | A whole afternoon of shore |\n\nTake something hot. Take a towel even if you will not swim: you will.',
  },
  {
    speaks: 'zh',
    category: CATEGORIES[2],
    scene: 'forest',
    title: '一张四条腿的凳子教我的事',
    subject: '木工第一课：不要相信眼睛。',
    content:
      '第一张凳子，四条腿，三条着地。\n\n## 量两次\n\n师傅说：**量两次，锯一次**。我量了一次，锯了四次。\n\n## 慢一点\n\n刨花卷起来的声音像下雨。急的时候，它就断了。\n\n- 先画线\n- 再看木纹\n- 最后才拿锯子\n\n> 凳子不会骗人，你坐上去就知道。',
  },
]

/** Sent in by people, and waiting for an editor. */
export const CONTRIBUTIONS: readonly Written[] = [
  {
    speaks: 'zh',
    category: CATEGORIES[0],
    scene: 'city',
    title: '凌晨四点的菜市场',
    subject: '城市最早醒来的地方。',
    content:
      '灯是黄的，地是湿的，**所有人都在跑**。\n\n卖豆腐的阿姨说，她已经二十年没有看过日出，因为那时候正忙。\n\n## 六点\n\n太阳出来，菜市场反而安静了。',
  },
  {
    speaks: 'en',
    category: CATEGORIES[3],
    scene: 'meadow',
    title: 'Counting bees with ten-year-olds',
    subject: 'Science begins with sitting still.',
    content:
      'We sat for ten minutes at each flower bed and counted.\n\n- Lavender: **41**\n- Lawn: 2\n- The forgotten corner behind the bins: *63*\n\nThey voted to forget two more corners.',
  },
  {
    speaks: 'zh',
    category: CATEGORIES[1],
    scene: 'sea',
    title: '不会游泳的人怎样住在海边',
    subject: '先学会看潮汐表。',
    content:
      '我每天看海，但是从不下水。\n\n## 潮汐表\n\n每天两次，**准时得像火车**。知道了这件事以后，我就不怕它了。',
  },
]

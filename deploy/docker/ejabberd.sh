#!/bin/sh
# Starts ejabberd in its container: with docs/ejabberd.yml made for this site, and with the account of Kith.
set -eu
PATH=${EJABBERD_HOME:=/home/ejabberd}/bin:$PATH
# Kith is in a container of its own and does not come from 127.0.0.1; nothing is published to the outside.
sed -e "s/chat\.example\.org/$KITH_SITE/" -e 's/ip: "127\.0\.0\.1"/ip: "::"/' "$KITH_EJABBERD_YML" > "$EJABBERD_HOME/conf/ejabberd.yml"
(
  until ejabberdctl started > /dev/null 2>&1; do sleep 1; done
  ejabberdctl check_account kith "$KITH_SITE" > /dev/null 2>&1 || ejabberdctl register kith "$KITH_SITE" "$EJABBERD_PASSWORD"
) &
exec ejabberdctl foreground

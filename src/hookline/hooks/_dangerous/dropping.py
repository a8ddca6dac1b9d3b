"""Pack databases, continued: tools that drop a whole database, or bring it back to its beginning."""

from collections.abc import Mapping

from hookline.hooks._dangerous._shape import table
from hookline.hooks._dangerous.databases import DATABASES
from hookline.hooks._dangerous.finding import Judge

JUDGES: Mapping[str, Judge] = table(
    DATABASES,
    """
    dropdb|dropuser|pg_dropcluster *                                   database-drop
    mysqladmin ...drop|shutdown                                        database-drop
    createdb|pg_restore -c|--clean                                     database-drop
    mongorestore --drop                                                database-drop
    supabase db reset                                                  database-drop
    prisma migrate reset                                               database-drop
    prisma db push --force-reset|--accept-data-loss                    database-drop
    rails|rake ...db:drop*|db:reset*|db:purge*|db:schema:load*|db:truncate_all database-drop
    sequelize|sequelize-cli|typeorm|mikro-orm ...db:drop|schema:drop   database-drop
    knex ...migrate:rollback --all                                     database-drop
    artisan|sail migrate:fresh|migrate:reset|migrate:refresh|db:wipe   database-drop
    manage.py|django-admin flush|reset_db|sqlflush                     database-drop
    alembic downgrade base                                             database-drop
    flyway clean                                                       database-drop
    liquibase drop-all|dropAll                                         database-drop
    hasura|influx|etcdctl|dolt|pscale|neonctl|atlas @delete            database-drop
    nodetool decommission|removenode|drain                             database-drop
    """,
    values="-u --user -h --host -p --port -P --password",
)

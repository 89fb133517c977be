import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.Properties;

/** Prints the row that a query at a URL of JDBC returns. The files username and password are the login, where the URL has none. */
class Jdbc {
    public static void main(String[] args) throws Exception {
        var login = new Properties();
        if (args.length > 2) {
            login.setProperty("user", Files.readString(Path.of("username")));
            login.setProperty("password", Files.readString(Path.of("password")));
        }
        try (var connection = DriverManager.getConnection(args[0], login); var rows = connection.createStatement().executeQuery(args[1])) {
            rows.next();
            for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++) {
                System.out.println(rows.getString(column));
            }
        }
    }
}
